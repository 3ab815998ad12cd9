package org.nyala.cli;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.rights.ClientFacts;

/**
 * A question for the rights of a client to an entry.
 *
 * <p>Immutable.
 *
 * @param rules the rules that decide
 * @param client the client
 * @param target the name of the entry
 * @param attribute the attribute; null for all that the entry has
 * @param value a value of the attribute; null for the attribute as a whole
 */
record AccessQuestion(
    RulesText rules,
    ClientFacts client,
    Dn target,
    @Nullable AttributeDescription attribute,
    @Nullable String value) {}
