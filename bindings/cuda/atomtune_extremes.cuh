// The smallest or largest value of each target, through every form of atomtune.cuh. The
// forms add numbers of a type T; Least<T> and Greatest<T> are types of the same size whose
// sum is the smaller or the larger of two. An array of T is seen as one of them:
//
//   using E = atomtune::Least<float>;
//   update_global<Match><<<blocks, 256>>>(E::array(A), index,
//                                         Loaded<E>{E::array(values)}, n);
//
// lowers A[index[u]] to values[u]. update_private, with ranges too, update_hot,
// update_threadprivate, update_partition and add_match take E in place of T in the same way.
// T is a 32-bit or 64-bit integer, float or double. One has no meaning here and does not
// compile.
//
// Floats are compared by their bits, as minimum and maximum of IEEE 754-2019 compare them: a NaN
// in a target or a value makes the target a NaN, -0 is below 0, and no option of nvcc changes that.
// The result does not depend on the order of the updates.
//
// E(0) is the number that changes nothing: of integers the largest or the smallest, of floats
// infinity. Fill targets with it before the first update.
//
// An update reads its target first, and makes an atomic only if the value would change
// it. What it reads may be old: targets change one way only, so a value that would not have
// changed an old one changes no later one. So nothing else may write to targets in global
// memory while a kernel of this header runs. Of m values in random order that come one after
// the other to a target some 1 + 1/2 + ... + 1/m make an atomic.
#pragma once

#include <cstddef>
#include <limits>

#include "atomtune_float.cuh"

namespace atomtune {

enum class Extreme { least, greatest };

// NumberOrder is how the words that hold a T are compared: by rank.
template <typename T, typename = void>
struct NumberOrder {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "integers of 32 or 64 bits, float or double");
  using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  using Signed = std::conditional_t<sizeof(T) == 4, int, long long>;
  using Rank = std::conditional_t<std::is_signed_v<T>, Signed, Word>;
  static constexpr Word highest = static_cast<Word>(std::numeric_limits<T>::max());
  static constexpr Word lowest = static_cast<Word>(std::numeric_limits<T>::min());

  __host__ __device__ static Word word(T v) { return static_cast<Word>(v); }
  __host__ __device__ static bool is_nan(Word) { return false; }
  __host__ __device__ static Rank rank(Word word) { return static_cast<Rank>(word); }

  __device__ static Word lower(Word* target, Word word) {
    return static_cast<Word>(atomicMin(reinterpret_cast<Rank*>(target), rank(word)));
  }
  __device__ static Word raise(Word* target, Word word) {
    return static_cast<Word>(atomicMax(reinterpret_cast<Rank*>(target), rank(word)));
  }
};

template <typename T>
struct NumberOrder<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  using Word = atomtune::Word<T>;
  using Rank = SignedWord<T>;
  static constexpr Word highest = WordOf<T>::infinity;
  static constexpr Word lowest = ~(~Word(0) >> 1) | highest;

  __device__ static Word word(T v) { return word_of(v); }
  __host__ __device__ static bool is_nan(Word word) { return atomtune::is_nan<T>(word); }
  __host__ __device__ static Rank rank(Word word) { return order_of<T>(word); }

  __device__ static Word lower(Word* target, Word word) {
    return lower_word(reinterpret_cast<T*>(target), word);
  }
  __device__ static Word raise(Word* target, Word word) {
    return raise_word(reinterpret_cast<T*>(target), word);
  }
};

// Extremum holds a T, and its sum with another is the least or the greatest of both.
template <typename T, Extreme extreme>
class Extremum {
  using Order = NumberOrder<T>;
  static constexpr bool least = extreme == Extreme::least;

 public:
  using Word = typename Order::Word;

  Extremum() = default;
  // Of all numbers only the literal 0 is a null pointer: E(0) compiles, E(1) does not.
  __host__ __device__ Extremum(std::nullptr_t)
      : word_(least ? Order::highest : Order::lowest) {}

  // of_word has one NaN for all: that which neither a number's rank nor an integer atomic replaces.
  __host__ __device__ static Extremum of_word(Word word) {
    Extremum e;
    e.word_ = !Order::is_nan(word) ? word : least ? ~Word(0) : ~Word(0) >> 1;
    return e;
  }
  __device__ static Extremum of(T v) { return of_word(Order::word(v)); }
  // array is the numbers at p as such sums.
  __host__ __device__ static Extremum* array(T* p) {
    return reinterpret_cast<Extremum*>(p);
  }
  __host__ __device__ static const Extremum* array(const T* p) {
    return reinterpret_cast<const Extremum*>(p);
  }

  __host__ __device__ Word word() const { return word_; }

  // yields_to reports whether v takes the place of this, which may be a target with any NaN.
  __host__ __device__ bool yields_to(Extremum v) const {
    if (Order::is_nan(word_)) return false;
    const auto now = Order::rank(word_), next = Order::rank(v.word_);
    return least ? next < now : next > now;
  }

  friend __host__ __device__ __forceinline__ Extremum operator+(Extremum a, Extremum b) {
    return a.yields_to(b) ? b : a;
  }
  friend __host__ __device__ __forceinline__ bool operator==(Extremum a, Extremum b) {
    return a.word_ == b.word_;
  }
  friend __host__ __device__ __forceinline__ bool operator!=(Extremum a, Extremum b) {
    return a.word_ != b.word_;
  }

  // replace makes the atomic on a target that held now a moment ago.
  static __device__ __forceinline__ Extremum replace(Extremum* target, Extremum now, Extremum v) {
    if (!now.yields_to(v)) return now;
    return of_word(least ? Order::lower(&target->word_, v.word_)
                         : Order::raise(&target->word_, v.word_));
  }

  // What the forms call: the atomic, a load, and the exchanges between lanes.
  friend __device__ __forceinline__ Extremum atomicAdd(Extremum* target, Extremum v) {
    return replace(target, *target, v);
  }
  friend __device__ __forceinline__ Extremum __ldg(const Extremum* p) {
    return of_word(__ldg(&p->word_));
  }
  friend __device__ __forceinline__ Extremum __shfl_sync(unsigned mask, Extremum v,
                                                         int lane) {
    v.word_ = __shfl_sync(mask, v.word_, lane);
    return v;
  }
  friend __device__ __forceinline__ Extremum __shfl_down_sync(unsigned mask, Extremum v,
                                                              unsigned by) {
    v.word_ = __shfl_down_sync(mask, v.word_, by);
    return v;
  }
  friend __device__ __forceinline__ Extremum __shfl_xor_sync(unsigned mask, Extremum v,
                                                             int bits) {
    v.word_ = __shfl_xor_sync(mask, v.word_, bits);
    return v;
  }

 private:
  Word word_;
};

// SeenAs has the numbers of values as such sums, where they are not an array of T.
template <typename E, typename Values>
struct SeenAs {
  Values values;
  __device__ __forceinline__ E operator[](size_t u) const { return E::of(values[u]); }
};

// Least<T> and Greatest<T> are what scatter_min and scatter_max add up.
template <typename T>
using Least = Extremum<T, Extreme::least>;

template <typename T>
using Greatest = Extremum<T, Extreme::greatest>;

}  // namespace atomtune
