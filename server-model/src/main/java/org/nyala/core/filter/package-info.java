/**
 * Filters as text, compiled, and matched against entries in slices; selections of attributes.
 *
 * <p>Public face: {@link FilterCompiler}, {@link FilterMatcher} and {@link AttributeSelector}.
 *
 * <p>Imports: {@code core.budget}, {@code core.bytes}, {@code core.dn}, {@code core.entry}, {@code
 * core.message}, {@code core.provider}, {@code core.schema}.
 */
@NullMarked
package org.nyala.core.filter;

import org.jspecify.annotations.NullMarked;
