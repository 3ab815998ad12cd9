/**
 * Rules over one entry: schema checks, naming, modifications of values.
 *
 * <p>Public face: {@link EntryRules} and {@link AttributeModifications}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.bytes}, {@code core.dn},
 * {@code core.entry}, {@code core.filter}, {@code core.message}, {@code core.password}, {@code
 * core.provider}, {@code core.schema}.
 */
@NullMarked
package org.nyala.core.rules;

import org.jspecify.annotations.NullMarked;
