package org.nyala.core.operation.update;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.update.UpdateContext;

/**
 * A modify of the subschema subentry (RFC 4512, section 4.2): adds definitions to the schema, takes
 * them away again, or changes them.
 *
 * <p>Confined to one running operation. The store keeps the definitions; once they are on disk, new
 * operations use the new schema, and running ones end with the old one.
 */
final class SchemaOperation implements PreparedUpdate {
  /** The changes of definitions that a request asks for. */
  @FunctionalInterface
  interface Changes {
    /** Returns them, given the schema to which they are made. */
    List<Request.Change> of(ExtendedSchema before) throws LdapOperationException;
  }

  private final OperationContext directory;
  private final Backend backend;
  private final Dn name;
  private final Changes changes;
  private final @Nullable CompiledFilter assertion;
  private final boolean noOp;
  private @Nullable OperationContext next;

  private SchemaOperation(
      OperationContext directory,
      Backend backend,
      Dn name,
      Changes changes,
      @Nullable CompiledFilter assertion,
      boolean noOp) {
    this.directory = directory;
    this.backend = backend;
    this.name = name;
    this.changes = changes;
    this.assertion = assertion;
    this.noOp = noOp;
  }

  /**
   * Prepares changes, whoever may change the subschema subentry.
   *
   * @param name the name of that
   */
  static SchemaOperation prepare(
      OperationContext directory,
      Changes changes,
      Dn name,
      Requester requester,
      RequestControls honoured)
      throws LdapOperationException {
    RequestControls controls = honoured.only(ModifyOperation.SCHEMA_CONTROLS);
    directory.updating().writeAccess().require(name, requester.identity());
    Backend backend = directory.schemaBackend();
    if (backend == null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "this server keeps no definitions");
    }
    return new SchemaOperation(
        directory,
        backend,
        name,
        changes,
        AssertionControl.read(directory.reading(), controls, requester.roomForAssertion()),
        controls.has(ControlType.NO_OP));
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public boolean isComposite() {
    return false;
  }

  @Override
  public boolean isAlone() {
    return true;
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    notCommitted();
    // It may have been switched to read-only since.
    directory.updating().writeAccess().requireChangeable();
    if (!context.isAlone()) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the schema changes by itself, in no transaction");
    }
    checkAssertion();
    ExtendedSchema before = directory.extendedSchema();
    ExtendedSchema after = new SchemaModification(before).apply(changes.of(before));
    if (!noOp && after.additions().equals(before.additions())) {
      return LdapResult.SUCCESS;
    }
    new SchemaUsageCheck(directory, context.transaction(), before, after).check();
    next = prepare(after);
    if (noOp) {
      throw new LdapOperationException(
          ResultCode.NO_OPERATION, "nothing was changed, as asked for");
    }
    try {
      context.changeSchema(after);
    } catch (InvalidSchemaException e) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, SchemaModification.message(e));
    }
    return LdapResult.SUCCESS;
  }

  private void checkAssertion() throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    VirtualEntry shown = Objects.requireNonNull(directory.virtualEntries().at(name));
    shown.show(scratch.view);
    CompiledFilter asserted = assertion;
    AssertionControl.checkAtOnce(
        asserted == null ? null : new EntryMatch(asserted),
        scratch,
        shown.table(),
        VirtualEntry::hasSubordinates);
  }

  private OperationContext prepare(ExtendedSchema after) throws LdapOperationException {
    try {
      return directory.by(after);
    } catch (IllegalArgumentException e) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the configuration needs more: " + e.getMessage());
    }
  }

  @Override
  public void committed() {
    OperationContext prepared = next;
    if (prepared != null) {
      prepared.takeOver();
    }
  }

  @Override
  public void notCommitted() {
    OperationContext prepared = next;
    if (prepared != null) {
      prepared.withdraw();
      next = null;
    }
  }
}
