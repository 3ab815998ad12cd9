package org.nyala.accounts;

import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RootAccount;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.accounts.AccountsService;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dn.Dn;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.extension.Directory;

/**
 * The accounts that the entries of a directory are, under password policies.
 *
 * <p>Thread-safe.
 */
public final class PolicedAccounts implements AccountsService {
  private final AccountRuntime lasting;

  /**
   * Creates the accounts of one directory.
   *
   * @param updates the settings for changes of the directory
   * @param nanoClock its clock, in nanoseconds
   */
  public PolicedAccounts(UpdateSettings updates, LongSupplier nanoClock) {
    this.lasting = new AccountRuntime(updates, nanoClock);
  }

  @Override
  public AccountControl control(
      Directory directory, AccessPolicy access, Function<Dn, @Nullable Backend> stores) {
    return new PolicedControl((OperationContext) directory, lasting, access, stores);
  }

  @Override
  public void rootsChanged(List<RootAccount> roots) {
    lasting.note(roots);
  }
}
