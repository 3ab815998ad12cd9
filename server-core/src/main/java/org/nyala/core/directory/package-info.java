/**
 * State and services that operations share: naming contexts, caches, computed entries.
 *
 * <p>Public face: {@link OperationContext}.
 */
@NullMarked
package org.nyala.core.directory;

import org.jspecify.annotations.NullMarked;
