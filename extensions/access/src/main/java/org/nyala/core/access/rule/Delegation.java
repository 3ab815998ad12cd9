package org.nyala.core.access.rule;

import org.nyala.core.dn.Dn;

/**
 * A subtree whose entries hold rules of their own ({@code delegate subtree "..." to directory}).
 * They are asked at this place of the file, for this subtree alone: rules before it cannot be
 * overridden, and rules after it are asked if none of the directory's covers.
 *
 * <p>Immutable.
 *
 * @param subtree the name of the subtree's top
 * @param source the place of the statement
 */
public record Delegation(Dn subtree, Source source) implements Step {}
