package datasets

import "syscall"

// dropPages takes the pages of a mapped file from the memory of the process. They are read again, most
// often from the system's cache, when they are looked at.
func dropPages(mapped []byte) { _ = syscall.Madvise(mapped, syscall.MADV_DONTNEED) } // else they stay
