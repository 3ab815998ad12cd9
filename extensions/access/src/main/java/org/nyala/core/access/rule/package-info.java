/**
 * The language of access rules: model, parser and printer.
 *
 * <p>Public face: {@link AccessRules}, {@link RulesParser} and {@link RulesPrinter}. The model
 * knows what a rule says, not how it is decided.
 */
@NullMarked
package org.nyala.core.access.rule;

import org.jspecify.annotations.NullMarked;
