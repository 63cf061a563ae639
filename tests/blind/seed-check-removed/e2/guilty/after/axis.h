#ifndef AXIS_H
#define AXIS_H

#include <stdbool.h>
#include <stdint.h>

struct axis;

struct axis_ops {
	const char *name;
	int (*move_to)(struct axis *ax, int32_t target);
	int (*stop)(struct axis *ax);
};

struct axis {
	const struct axis_ops *ops;
	volatile uint32_t *regs;
	bool homed;
	int32_t min, max;
	int32_t position;
};

enum { AXIS_OK = 0, AXIS_ENOTHOMED = -1, AXIS_ERANGE = -2 };

extern const struct axis_ops stepper_ops;
extern const struct axis_ops servo_ops;

#endif
