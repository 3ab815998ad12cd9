package org.nyala.core.accounts;

import java.util.function.LongSupplier;
import org.nyala.accounts.PolicedAccounts;
import org.nyala.core.directory.UpdateSettings;

/** The accounts that this module makes, for directories in tests. */
public final class PolicedTestAccounts implements TestAccounts {
  @Override
  public AccountsService of(UpdateSettings updates, LongSupplier nanoClock) {
    return new PolicedAccounts(updates, nanoClock);
  }
}
