/* The header by itself, in C and C++ of every age. */
#include <atomtune.h>

int main(void) {
  struct atomtune_call call;
  struct atomtune_choice choice;
  ATOMTUNE_INIT(call);
  ATOMTUNE_INIT(choice);
  call.device = "h200";
  call.bins = 16;
  call.type = ATOMTUNE_F32;
  {
    const uint32_t index[4] = {1, 2, 3, 3};
    return atomtune_choose(&call, index, 4, &choice) == ATOMTUNE_OK ? 0 : 1;
  }
}
