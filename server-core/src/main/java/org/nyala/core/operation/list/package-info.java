/**
 * Sorted searches, paged results and virtual list views, over a list that is made once.
 *
 * <p>Public face: {@link SortedSearch}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.operation.list;

import org.jspecify.annotations.NullMarked;
