package org.nyala.core.operation;

import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.nyala.core.ServerLimits;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.backend.Backend;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.schema.Schema;

/** The LDAP operations on a set of stores. Thread-safe. */
public final class DirectoryOperations implements OperationRouter {
  /** The session deals with what has no answer. */
  private static final OperationBody NOTHING = (_, _) -> Outcome.DONE;

  private final Directory directory;

  /**
   * Creates the operations.
   *
   * @param schema resolves names
   * @param backends the stores; closed by whoever opened them
   * @param access says who may read
   * @param limits bounds what clients may ask for
   * @param root the account that limits do not bind
   * @param nanoClock measures time limits and slices, in nanoseconds
   */
  public DirectoryOperations(
      Schema schema,
      List<Backend> backends,
      AccessPolicy access,
      ServerLimits limits,
      Optional<RootAccount> root,
      LongSupplier nanoClock) {
    directory = new Directory(schema, backends, access, limits, root, nanoClock);
  }

  @Override
  public OperationBody route(Request request) {
    return ControlledOperation.of(directory, request.controls(), body(request));
  }

  private OperationBody body(Request request) {
    return switch (request) {
      case Request.Search search -> new SearchOperation(directory, search);
      case Request.Bind bind -> new BindOperation(directory, bind);
      case Request.Compare compare -> new CompareOperation(directory, compare);
      case Request.Extended extended -> ExtendedOperation.of(directory, extended);
      case Request.Add add -> new RefusedOperation(directory, add.controls());
      case Request.Delete delete -> new RefusedOperation(directory, delete.controls());
      case Request.Modify modify -> new RefusedOperation(directory, modify.controls());
      case Request.ModifyDn modifyDn -> new RefusedOperation(directory, modifyDn.controls());
      case Request.Abandon _, Request.Unbind _ -> NOTHING;
    };
  }

  @Override
  public boolean overtakes(Request request) {
    return request instanceof Request.Extended extended
        && extended.oid().equals(CancelOperation.OID);
  }
}
