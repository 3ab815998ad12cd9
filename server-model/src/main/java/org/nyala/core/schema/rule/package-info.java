/**
 * Matching rules and syntaxes (RFC 4517, 4518, 4523): normalisers of values.
 *
 * <p>Public face: {@link StandardMatchingRules} and {@link StandardSyntaxes}.
 *
 * <p>Imports: {@code core.ber}, {@code core.bytes}, {@code core.dn}, {@code core.schema}.
 */
@NullMarked
package org.nyala.core.schema.rule;

import org.jspecify.annotations.NullMarked;
