package org.nyala.core.entry;

import org.jspecify.annotations.Nullable;

/**
 * The place of a value among those of its attribute, good for another transaction as long as the
 * entry has not changed.
 *
 * <p>Immutable, but for the array, which is never written to.
 *
 * @param offset the start of the value, from the beginning of the record; without meaning if there
 *     is a key
 * @param key the key of a value that is kept apart from the record; null for others
 */
public record ValuePosition(int offset, byte @Nullable [] key) {}
