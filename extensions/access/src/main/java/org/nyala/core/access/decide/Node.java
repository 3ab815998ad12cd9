package org.nyala.core.access.decide;

/**
 * The state of an entry after some tests: the answers, or the next test to make.
 *
 * <p>Thread-safe.
 */
sealed interface Node permits Fork, RuledProfile {}
