// The driver's management library.
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int nvmlInit_v2(void) { return 0; }

EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  snprintf(text, bytes, "580.1.2");
  return 0;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  static int only;
  *device = &only;
  return strcmp(bus, "0000:01:00.0") == 0 ? 0 : 2;
}

EXPORT int nvmlDeviceGetClockInfo(void* device, int kind, unsigned* mhz) {
  *mhz = kind == 1 ? 1480 : 1990;
  return device == NULL ? 2 : 0;
}
