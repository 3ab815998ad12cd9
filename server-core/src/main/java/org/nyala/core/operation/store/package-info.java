/**
 * The first stage of all searches in a store, also of those that extensions carry out.
 *
 * <p>Public face: {@link StoreSearch}.
 */
@NullMarked
package org.nyala.core.operation.store;

import org.jspecify.annotations.NullMarked;
