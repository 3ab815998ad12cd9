package org.nyala.core.accounts;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RootAccount;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.Directory;

/** The accounts of a directory in tests of the kernel: whatever name a client binds with is its. */
final class BelievedClients extends NoAccounts {
  private @Nullable OperationContext first;

  @Override
  public AccountControl control(
      Directory directory, AccessPolicy access, Function<Dn, @Nullable Backend> stores) {
    if (first == null) {
      first = (OperationContext) directory;
    }
    return this;
  }

  @Override
  public OperationBody bind(Request.Bind request) {
    if (request.name().isEmpty()) {
      return super.bind(request);
    }
    return (operation, _) -> {
      OperationContext directory = first.current();
      Dn name = directory.scratch().names.parse(request.name());
      RootAccount root = directory.roots().of(name);
      operation.establish(root == null ? new BoundIdentity(name, false) : root.identity());
      operation.sink().bindResult(LdapResult.SUCCESS, null);
      return Outcome.DONE;
    };
  }
}
