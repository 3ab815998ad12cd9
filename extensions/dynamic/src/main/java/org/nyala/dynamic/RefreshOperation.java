package org.nyala.dynamic;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.update.Requester;
import org.nyala.core.operation.update.UpdateControls;
import org.nyala.core.operation.update.UpdateRights;
import org.nyala.core.operation.update.UpdateTurn;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;
import org.nyala.extension.Directory;
import org.nyala.extension.ExtendedKind;

/**
 * Lengthens or shortens the life of a dynamic entry (RFC 2589, section 4). A refusal returns a time
 * to live of 0.
 *
 * <p>Confined to one running operation.
 */
public final class RefreshOperation implements OperationBody {
  public static final String OID = "1.3.6.1.4.1.1466.101.119.1";

  private static final int RESPONSE_TTL = 0x81;

  private final DynamicEntries entries;
  private final OperationContext directory;
  private final Request.Extended request;

  /**
   * The operation as directories offer it. Thread-safe.
   *
   * @param entries the dynamic entries, of which there may be some
   */
  record Kind(DynamicEntries entries) implements ExtendedKind {
    @Override
    public String oid() {
      return OID;
    }

    @Override
    public Set<ControlType> controls() {
      return Set.of(ControlType.PROXIED_AUTHORIZATION, ControlType.SESSION_TRACKING);
    }

    @Override
    public boolean isChange() {
      return true;
    }

    @Override
    public @Nullable String target(Request.Extended request) {
      try {
        return RefreshRequest.read(request.reader()).name();
      } catch (LdapOperationException _) {
        // The operation refuses it in its own words.
        return null;
      }
    }

    @Override
    public OperationBody body(Directory directory, Request.Extended request) {
      return new RefreshOperation(entries, (OperationContext) directory, request);
    }
  }

  private RefreshOperation(
      DynamicEntries entries, OperationContext directory, Request.Extended request) {
    this.entries = entries;
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) {
    try {
      begin(operation);
      return Outcome.PARKED;
    } catch (LdapOperationException e) {
      operation.sink().extendedResult(e.result(), OID, response(0));
      return Outcome.DONE;
    }
  }

  private void begin(Operation operation) throws LdapOperationException {
    RefreshRequest wanted = RefreshRequest.read(request.reader());
    DynamicSettings settings = entries.settings().orElseThrow();
    Dn name = directory.scratch().names.parse(wanted.name());
    Backend backend =
        directory.updating().writeAccess().refreshBackendOf(name, operation.identity());
    if (wanted.ttlSeconds() > settings.maximumTtlSeconds()) {
      throw new LdapOperationException(
          ResultCode.SIZE_LIMIT_EXCEEDED,
          "entries live for " + settings.maximumTtlSeconds() + " seconds at most");
    }
    int granted = Math.max(wanted.ttlSeconds(), settings.minimumTtlSeconds());
    operation.handsOver();
    directory.runtime().writers().submit(backend, new Refresh(operation, wanted.name(), granted));
  }

  private static byte[] response(int ttlSeconds) {
    return new BerWriter()
        .sequence(new BerWriter().integer(RESPONSE_TTL, ttlSeconds))
        .toByteArray();
  }

  /** The part that runs in the writer's turn. */
  private final class Refresh implements Update {
    private final Operation operation;
    private final String entryName;
    private final int ttlSeconds;

    Refresh(Operation operation, String entryName, int ttlSeconds) {
      this.operation = operation;
      this.entryName = entryName;
      this.ttlSeconds = ttlSeconds;
    }

    @Override
    public boolean isWanted() {
      return !operation.isAbandoned();
    }

    @Override
    public MemoryAccount memory() {
      return operation.session().memory();
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      // By the schema of the moment: it may have changed since the request was read.
      OperationContext now = directory.current();
      Requester writer = Requester.of(operation);
      UpdateTurn turn = new UpdateTurn(now, context, UpdateControls.NONE, writer);
      Dn name = now.scratch().names.parse(entryName);
      long id = turn.find(name, demand(now.schema()));
      LifetimeRules rules = entries.rules(now);
      if (!rules.isDynamic(now.scratch(), turn.view(), turn.transaction().attributes())) {
        throw new LdapOperationException(
            ResultCode.OBJECT_CLASS_VIOLATION, "the entry is not a dynamic one");
      }
      List<AttributeChange> changes =
          now.updating()
              .operational()
              .stamped(List.of(rules.living(ttlSeconds)), turn.stamp(writer.dn()));
      turn.apply(new ResolvedChange.Modify(name, id, changes));
      return turn.result();
    }

    /** Rules decide by the attribute that clients see. */
    private static UpdateRights.Demand demand(Schema schema) {
      AttributeType type = schema.attributeType(LifetimeRules.ENTRY_TTL_OID);
      return (rights, profile, _) ->
          type != null && rights.mayWriteAll(profile, AttributeDescription.of(type));
    }

    @Override
    public void answer(LdapResult result) {
      byte[] value = response(result.code() == ResultCode.SUCCESS ? ttlSeconds : 0);
      operation.finish(result, () -> operation.sink().extendedResult(result, OID, value));
    }
  }
}
