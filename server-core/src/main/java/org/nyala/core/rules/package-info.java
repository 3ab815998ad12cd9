/**
 * Rules over one entry: schema checks, naming, modifications of values.
 *
 * <p>Public face: {@link EntryRules} and {@link AttributeModifications}.
 */
@NullMarked
package org.nyala.core.rules;

import org.jspecify.annotations.NullMarked;
