/**
 * The extension of dynamic entries (RFC 2589): entries that are deleted once their time is over,
 * unless a client refreshes them.
 *
 * <p>Public face: {@link DynamicEntries}, {@link DynamicSettings}.
 */
@NullMarked
package org.nyala.dynamic;

import org.jspecify.annotations.NullMarked;
