package org.nyala.circle.two;

import org.jspecify.annotations.Nullable;
import org.nyala.circle.one.First;

/**
 * One half of a cycle between two packages, for the test of the rule that forbids it.
 *
 * @param other the other half
 */
public record Second(@Nullable First other) {}
