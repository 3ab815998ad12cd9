/**
 * Rules about a single entry: schema checks, naming, modifications of values.
 *
 * <p>Public face: {@link EntryRules} and {@link AttributeModifications}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.rules;

import org.jspecify.annotations.NullMarked;
