/**
 * Matching rules and syntaxes (RFC 4517, 4518, 4523): normalisers of values.
 *
 * <p>Public face: {@link StandardMatchingRules} and {@link StandardSyntaxes}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.schema.rule;

import org.jspecify.annotations.NullMarked;
