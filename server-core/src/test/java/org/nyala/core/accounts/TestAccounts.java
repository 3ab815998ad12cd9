package org.nyala.core.accounts;

import java.util.ServiceLoader;
import java.util.function.LongSupplier;
import org.nyala.core.directory.UpdateSettings;

/**
 * The accounts of directories in tests: those that a module on the class path offers, else ones
 * whose clients are believed.
 */
public interface TestAccounts {
  /** Returns the accounts of one directory. */
  AccountsService of(UpdateSettings updates, LongSupplier nanoClock);

  /** Returns those of one directory, of whatever there is. */
  static AccountsService open(UpdateSettings updates, LongSupplier nanoClock) {
    return ServiceLoader.load(TestAccounts.class)
        .findFirst()
        .map(found -> found.of(updates, nanoClock))
        .orElseGet(BelievedClients::new);
  }
}
