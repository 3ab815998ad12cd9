/**
 * The choice of the operation that answers a request, and of what a search is; compare.
 *
 * <p>Public face: {@link DirectoryOperations} and {@link ExtendedWords}.
 */
@NullMarked
package org.nyala.core.operation;

import org.jspecify.annotations.NullMarked;
