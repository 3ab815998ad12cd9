package org.nyala.extension;

import java.util.Set;

/**
 * The place of an extension in the list: by the names of others, of which it comes after some and
 * before some. A name that no extension has requires nothing.
 *
 * <p>Immutable.
 *
 * @param after the extensions that see a request before it does
 * @param before the extensions that see a request after it
 */
public record Place(Set<String> after, Set<String> before) {
  /** The name of the extension that finds the rights of a client. */
  public static final String RIGHTS = "rights";

  /** The name of the extension that checks access rules in entries. */
  public static final String DELEGATION = "delegation";

  /** The place of an extension that requires nothing: in the order of their installation. */
  public static final Place ANYWHERE = new Place(Set.of(), Set.of());

  /** The usual place: after the rights of the client are known, right before the operation. */
  public static final Place BEFORE_OPERATIONS = new Place(Set.of(RIGHTS), Set.of(DELEGATION));

  public Place {
    after = Set.copyOf(after);
    before = Set.copyOf(before);
  }

  /** Returns the same place, after other extensions instead. */
  public Place behind(String... names) {
    return new Place(Set.of(names), before);
  }

  /** Returns the same place, before other extensions instead. */
  public Place ahead(String... names) {
    return new Place(after, Set.of(names));
  }
}
