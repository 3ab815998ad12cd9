package org.nyala.loadtest.workload;

/**
 * The people {@code uid=user.0}, {@code uid=user.1}… that requests are about.
 *
 * <p>Immutable.
 *
 * @param base base of searches
 * @param parent parent of the people
 * @param users their number, at least 1
 * @param logins those who have logged in; thread-safe
 */
public record People(String base, String parent, int users, Logins logins) {
  public static final String DEFAULT_BASE = "dc=example,dc=com";
  public static final String DEFAULT_PARENT = "ou=People,dc=example,dc=com";

  public People {
    LoadSettings.require(users >= 1, "--users", "the number of people, 1 or above", users);
  }

  /** People of whom nobody has logged in. */
  public People(String base, String parent, int users) {
    this(base, parent, users, new Logins(users));
  }

  /** So many people, placed as in a sample. */
  public static People of(int users) {
    return new People(DEFAULT_BASE, DEFAULT_PARENT, users);
  }
}
