package org.nyala.core.access.decide;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.rights.Right;

/**
 * The answer to a question for rights, with the statements that gave it.
 *
 * <p>Immutable.
 *
 * @param rights the rights
 * @param rule the rule that decided last; null if none covers what is asked for
 * @param clause the clause that fitted last; null if none fits
 */
public record Decision(Set<Right> rights, @Nullable Rule rule, @Nullable Clause clause) {}
