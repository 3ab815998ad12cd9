/**
 * The way from a request to the operation that answers it; bind, compare, and the choice of what a
 * search is.
 *
 * <p>Public face: {@link DirectoryOperations}, {@link AccountAdministration} and {@link
 * ExtendedWords}.
 */
@NullMarked
package org.nyala.core.operation;

import org.jspecify.annotations.NullMarked;
