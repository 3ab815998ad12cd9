package org.nyala.core.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.accounts.AccountsService;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.AccessSettings;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.directory.DirectoryRuntime;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.SearchExplainers;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.core.operation.extended.CancelOperation;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.core.operation.update.UpdateOperation;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.RightsService;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationRouter;
import org.nyala.core.session.Session;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.SourceTroubles;
import org.nyala.extension.Extension;
import org.nyala.extension.Extensions;
import org.nyala.extension.Hooks;
import org.nyala.extension.Place;

/**
 * The LDAP operations on a set of stores.
 *
 * <p>Thread-safe. Closing it writes the updates that wait, and takes no more.
 */
public final class DirectoryOperations implements OperationRouter, AutoCloseable {
  /** The body of operations without an answer, which the session handles. */
  private static final OperationBody NOTHING = (_, _) -> Outcome.DONE;

  private static final String STRENGTH = "strength";
  private static final String CONTROLS = "controls";
  private static final String CONFINED_ROOT = "confined-root";

  /** The extensions of every directory; the description of their package has the order. */
  private static final List<Extension> OWN =
      List.of(
          own(STRENGTH, Place.ANYWHERE.ahead(CONTROLS), EncryptedOperation::hooks),
          own(CONTROLS, Place.ANYWHERE.ahead(CONFINED_ROOT), ControlledOperation::hooks),
          own(CONFINED_ROOT, Place.ANYWHERE.ahead(Place.RIGHTS), ActingOperation::hooks),
          own(Place.RIGHTS, Place.ANYWHERE, RuledOperation::hooks));

  private static final Extension DELEGATION =
      own(Place.DELEGATION, Place.ANYWHERE.behind(Place.RIGHTS), DirectoryOperations::delegation);

  private final ContextRef current;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /**
   * Creates the operations of a directory without access rules and accounts.
   *
   * @param schema the schema by which names are resolved
   * @param backends the stores; closed by the caller that opened them
   * @param access the access policy
   * @param limits the limits of requests
   * @param roots the accounts that are exempt from limits
   * @param nanoClock the clock for time limits and slices, in nanoseconds
   * @param updates the settings for changes
   */
  public DirectoryOperations(
      Schema schema,
      List<Backend> backends,
      AccessPolicy access,
      ServerLimits limits,
      RootAccounts roots,
      LongSupplier nanoClock,
      UpdateSettings updates) {
    this(
        schema,
        backends,
        access,
        limits,
        roots,
        nanoClock,
        updates,
        List.of(),
        false,
        RightsService.NONE,
        AccountsService.NONE);
  }

  /**
   * Creates the operations, with entries that no store holds.
   *
   * @param extensions what it does beyond the ten operations, in any order; closed with it
   * @param startsTls true if connections can be encrypted, as the root DSE says
   * @param rights reads the access rules of the policy, if it has any; no other directory's
   * @param accounts decides about binds and passwords; no other directory's
   */
  public DirectoryOperations(
      Schema schema,
      List<Backend> backends,
      AccessPolicy access,
      ServerLimits limits,
      RootAccounts roots,
      LongSupplier nanoClock,
      UpdateSettings updates,
      List<Extension> extensions,
      boolean startsTls,
      RightsService rights,
      AccountsService accounts) {
    Extensions ordered = ordered(extensions);
    current =
        new OperationContext(
                schema,
                backends,
                access,
                limits,
                roots,
                nanoClock,
                updates,
                ordered,
                new SupportedControls(ordered).capabilities(startsTls),
                rights,
                accounts)
            .holder();
  }

  /**
   * Returns extensions in order, with those that every directory has.
   *
   * @throws IllegalArgumentException if their names or places do not fit together
   */
  public static Extensions ordered(List<Extension> further) {
    List<Extension> all = new ArrayList<>(OWN);
    all.addAll(further);
    all.add(DELEGATION);
    Extensions ordered = Extensions.of(all);
    for (String oid : ordered.extended().keySet()) {
      if (ExtendedOperation.OIDS.contains(oid) || oid.equals(StartTlsOperation.OID)) {
        throw new IllegalArgumentException(
            "an extension carries out " + oid + ", which every directory does");
      }
    }
    return ordered;
  }

  /** Returns whether every directory has an extension of this name. */
  public static boolean isOwn(String extension) {
    return extension.equals(Place.DELEGATION)
        || OWN.stream().anyMatch(own -> own.name().equals(extension));
  }

  private static Extension own(String name, Place place, Function<OperationContext, Hooks> hooks) {
    return Extension.of(name, place, directory -> hooks.apply((OperationContext) directory));
  }

  /** Returns the extensions of the directory, from the first that sees a request to the last. */
  public List<Extension> extensions() {
    return current.get().extensions().all();
  }

  /** Returns the number of updates that wait for a writer. Any thread. */
  public int queuedUpdates() {
    return current.get().runtime().writers().queued();
  }

  /**
   * Returns the number of updates refused since the start because too many were waiting. Any
   * thread.
   */
  public long refusedUpdates() {
    return current.get().runtime().writers().refused();
  }

  /**
   * Sets the rights and limits of operations that begin from now on. The queue and the batches of
   * updates, persistent searches and the memory for sorted lists keep the bounds that they have.
   *
   * @param access the access policy
   * @param limits the limits of requests
   * @param roots the accounts that are exempt from limits
   * @throws IllegalArgumentException if the access rules do not fit the schema; nothing was changed
   *     then
   */
  public void reconfigure(AccessPolicy access, ServerLimits limits, RootAccounts roots) {
    current.get().reconfigure(new AccessSettings(access, limits, roots));
  }

  @Override
  public OperationBody route(Request request) {
    OperationContext directory = current.get();
    return directory.hooks().around(request, body(directory, request));
  }

  @Override
  public OperationBody routeToChange(Request request) {
    return current.get().accounts().ofPasswordChange(request, route(request));
  }

  /** Returns the check of access rules that entries hold; nothing if there are no rules. */
  private static Hooks delegation(OperationContext directory) {
    AccessControl control = directory.control();
    return control == null ? Hooks.NONE : Hooks.checking(List.of(control.check()));
  }

  private static OperationBody body(OperationContext directory, Request request) {
    return switch (request) {
      case Request.Search search -> new SearchOperation(directory, search);
      case Request.Bind bind -> directory.accounts().bind(bind);
      case Request.Compare compare -> new CompareOperation(directory, compare);
      case Request.Extended extended -> ExtendedOperation.of(directory, extended);
      case Request.Add _, Request.Delete _, Request.Modify _, Request.ModifyDn _ ->
          new UpdateOperation(directory);
      case Request.Abandon _, Request.Unbind _ -> NOTHING;
    };
  }

  @Override
  public boolean overtakes(Request request) {
    return request instanceof Request.Extended extended && isOvertaking(extended);
  }

  static boolean isOvertaking(Request.Extended request) {
    return request.oid().equals(CancelOperation.OID) || request.oid().equals(StartTlsOperation.OID);
  }

  @Override
  public void dropKept(Predicate<Object> owners) {
    current.get().runtime().views().dropAllOf(owners);
  }

  /** Sets the explainers that show root, with a control, how searches are carried out. */
  public void explainBy(SearchExplainers explainers) {
    current.get().runtime().explainBy(explainers);
  }

  /** Sets the server whose sessions extensions open for requests that they get themselves. */
  public void openSessionsBy(Function<ClientConnection, Session> server) {
    current.get().runtime().openSessionsBy(server);
  }

  /** Returns the holder of the directory that operations begin with. */
  public ContextRef directory() {
    return current;
  }

  /**
   * Sets the source of the number of workers, of which those that follow changes occupy a half at
   * most at the same time.
   */
  public void shareWorkers(IntSupplier number) {
    current.get().runtime().feed().shareWorkers(number);
  }

  /** Sets the source of the age of a copy; see {@link ConsumedContexts#tellLag}. */
  public void tellLag(Dn suffix, IntSupplier seconds) {
    current.get().updating().consumed().tellLag(suffix, seconds);
  }

  /** Returns the number of persistent searches. */
  public int followers() {
    DirectoryRuntime runtime = current.get().runtime();
    return runtime.feed().followers() + runtime.signal().waiters();
  }

  /**
   * Returns what prevents others from copying this server.
   *
   * @param nanoTime the server's clock, in nanoseconds
   */
  public SourceTroubles sourceTroubles(long nanoTime) {
    DirectoryRuntime runtime = current.get().runtime();
    return new SourceTroubles(runtime.refusedConsumers().lines(nanoTime), runtime.writers().leap());
  }

  /**
   * Writes the updates that wait on the calling thread, if the writers have none of their own.
   *
   * @return false if they have
   */
  public boolean writeInTurn() {
    return current.get().runtime().writers().writeInTurn();
  }

  /** Writes the updates that wait, and takes no more. Idempotent. */
  @Override
  public void close() {
    current.get().runtime().writers().close();
    if (!isClosed.getAndSet(true)) {
      current.get().extensions().all().forEach(Extension::close);
    }
  }
}
