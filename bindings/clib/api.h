/* What api.c and export.go share. */
#ifndef ATOMTUNE_API_H
#define ATOMTUNE_API_H

#include "include/atomtune.h"

#define ATOMTUNE_MESSAGE 1024 /* bytes of the text of an error */

#endif
