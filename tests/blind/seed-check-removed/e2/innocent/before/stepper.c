#include "axis.h"

#define STEP_CTRL   0
#define STEP_COUNT  1
#define STEP_DIR    2
#define CTRL_GO     0x1u
#define CTRL_HALT   0x2u

static int stepper_move_to(struct axis *ax, int32_t target)
{
	int64_t delta;

	if (!ax->homed)
		return AXIS_ENOTHOMED;
	if (target < ax->min || target > ax->max)
		return AXIS_ERANGE;
	delta = (int64_t)target - ax->position;
	ax->regs[STEP_DIR] = delta < 0;
	ax->regs[STEP_COUNT] = (uint32_t)(delta < 0 ? -delta : delta);
	ax->regs[STEP_CTRL] = CTRL_GO;
	ax->position = target;
	return AXIS_OK;
}

static int stepper_stop(struct axis *ax)
{
	ax->regs[STEP_CTRL] = CTRL_HALT;
	ax->homed = false;
	return AXIS_OK;
}

const struct axis_ops stepper_ops = {
	.name = "stepper",
	.move_to = stepper_move_to,
	.stop = stepper_stop,
};
