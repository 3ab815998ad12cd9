package org.nyala.core.accounts;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RootAccount;
import org.nyala.core.backend.Backend;
import org.nyala.core.dn.Dn;
import org.nyala.extension.Directory;

/**
 * The accounts of one directory, from its start to its end, through all changes of schema and
 * policy: whoever guesses passwords meets the same counts.
 *
 * <p>Thread-safe.
 */
public interface AccountsService {
  /**
   * The service of a directory without accounts: anonymous clients bind, all others are refused.
   * Passwords are stored as they come, and compared with nothing.
   */
  AccountsService NONE = new NoAccounts();

  /**
   * Returns the accounts under one schema and one policy, which are not in force yet.
   *
   * @param directory may be kept; must be asked for its schema alone before the first request comes
   * @param stores finds the store of a name; null if there is none
   * @throws IllegalArgumentException if the policy does not fit the schema
   */
  AccountControl control(
      Directory directory, AccessPolicy access, Function<Dn, @Nullable Backend> stores);

  /** Takes note of the root accounts that come into force while the directory runs. */
  void rootsChanged(List<RootAccount> roots);
}
