package org.nyala.circle.one;

import org.jspecify.annotations.Nullable;
import org.nyala.circle.two.Second;

/**
 * One half of a cycle between two packages, for the test of the rule that forbids it.
 *
 * @param other the other half
 */
public record First(@Nullable Second other) {}
