package org.nyala.core.operation.update;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rules.AttributeModifications;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.update.OperationalAttributes.Stamp;
import org.nyala.core.update.UpdateContext;

/**
 * The steps that all updates share during their turn: find the entry, honour the controls, apply.
 *
 * <p>Confined to the writer's thread, for one turn of one update.
 */
public final class UpdateTurn {
  private final OperationContext directory;
  private final UpdateContext context;
  private final UpdateControls controls;
  private final OperationScratch scratch;
  private final @Nullable UpdateRights rights;
  private ChangeCause cause;
  private final List<ResponseControl> responses = new ArrayList<>(0);

  /**
   * Begins a turn.
   *
   * @throws LdapOperationException busy or adminLimitExceeded if the client's rights cannot be
   *     found
   */
  public UpdateTurn(
      OperationContext directory,
      UpdateContext context,
      UpdateControls controls,
      Requester requester)
      throws LdapOperationException {
    this.cause =
        ChangeCause.of(requester.identity(), controls.relaxed(), requester.isRuled(directory));
    this.directory = directory;
    this.context = context;
    this.controls = controls;
    this.scratch = directory.scratch();
    this.rights = requester.inTurn(directory, context, controls.manageDsaIt());
  }

  public WriteTransaction transaction() {
    return context.transaction();
  }

  /**
   * Returns the view that {@link #find} and {@link #show} move to an entry; valid until the next
   * change.
   */
  public EntryView view() {
    return scratch.view;
  }

  /** Returns the client's rights by access rules; null if they do not decide. */
  @Nullable UpdateRights rights() {
    return rights;
  }

  /**
   * Finds the entry to be changed, moves the view to it, and honours the controls for its present
   * state.
   *
   * @param demand the rights to it that the client must have, if access rules decide
   * @throws LdapOperationException noSuchObject with the existing part of the name, a referral, a
   *     lack of rights, or a false assertion
   */
  public long find(Dn name, UpdateRights.Demand demand) throws LdapOperationException {
    UpdateRights asked = rights;
    if (asked != null) {
      Profile profile = asked.find(name, scratch.view, demand);
      honour(profile, testable(profile, transaction().attributes()));
      return scratch.view.id();
    }
    long id = ClientView.of(directory, transaction(), null, controls.manageDsaIt()).find(name);
    if (!show(id)) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    CompiledFilter assertion = controls.assertion();
    honour(null, assertion == null ? null : new EntryMatch(assertion));
    return id;
  }

  private void honour(@Nullable Profile profile, @Nullable EntryMatch assertion)
      throws LdapOperationException {
    context.takeMemory(scratch.view.recordLength());
    check(assertion, transaction().attributes(), directory.probe(transaction()));
    AttributeSelection before = controls.preRead();
    if (before != null) {
      respond(ControlType.PRE_READ, before, profile);
    }
  }

  /** Returns the assertion as the client may test it; null if there is none. */
  private @Nullable EntryMatch testable(Profile profile, AttributeTable table)
      throws LdapOperationException {
    GuardedFilter guarded = controls.guarded();
    return rights == null || guarded == null ? null : rights.testable(guarded, profile, table);
  }

  /** Moves the view to an entry; false if there is none with this id. */
  boolean show(long id) {
    return transaction().read(id, scratch.view);
  }

  /** The name of the entry that the view shows, whose parent has the given name. */
  Dn nameBelow(Dn parent) {
    byte[] rdn = new byte[scratch.view.rdnLength()];
    scratch.view.buffer().get(scratch.view.rdnStart(), rdn);
    try {
      return DnParser.parse(directory.schema(), rdn, Integer.MAX_VALUE, 1).under(parent);
    } catch (InvalidDnException e) {
      throw new IllegalStateException("entry " + scratch.view.id() + " has an invalid RDN", e);
    }
  }

  /**
   * Checks an entry that does not exist yet: the assertion about it, and that its attributes can be
   * named.
   *
   * @param profile the client's rights to it; null if access rules do not decide
   */
  void check(Entry entry, @Nullable Profile profile) throws LdapOperationException {
    requireNumbers(entry.descriptions());
    CompiledFilter assertion = controls.assertion();
    if (assertion == null && controls.guarded() == null) {
      return;
    }
    VirtualEntry virtual = VirtualEntry.of(entry);
    virtual.show(scratch.view);
    check(
        profile != null
            ? testable(profile, virtual.table())
            : assertion == null ? null : new EntryMatch(assertion),
        virtual.table(),
        VirtualEntry::hasSubordinates);
  }

  /** Checks the entry that the view shows; the memory of the test is given back afterwards. */
  private void check(@Nullable EntryMatch assertion, AttributeTable table, LongPredicate facts)
      throws LdapOperationException {
    try {
      AssertionControl.checkAtOnce(assertion, scratch, table, facts);
    } finally {
      UpdateRights asked = rights;
      if (asked != null) {
        asked.tested();
      }
    }
  }

  /**
   * Returns the checked result of modifications, with the operational attributes of the change.
   *
   * @param entryId the id of the changed entry
   * @param writer the name of the requester
   * @throws LdapOperationException if the resulting entry is not allowed
   */
  List<AttributeChange> resolve(long entryId, AttributeModifications modifications, Dn writer)
      throws LdapOperationException {
    return directory
        .updating()
        .operational()
        .stamped(checked(entryId, modifications), stamp(writer));
  }

  /**
   * Returns the checked result of modifications.
   *
   * @param entryId the id of the changed entry
   * @throws LdapOperationException if the resulting entry is not allowed
   */
  List<AttributeChange> checked(long entryId, AttributeModifications modifications)
      throws LdapOperationException {
    ClassSet classes = directory.updating().rules().check(modifications, controls.relaxed());
    List<AttributeChange> changes = modifications.changes();
    ObjectClass structural = classes.structural();
    if (controls.relaxed() && structural != null) {
      changes = directory.updating().operational().restructured(changes, structural);
    }
    requireNumbers(described(changes));
    new EntrySize(directory.limits().updates().sizes())
        .check(transaction(), entryId, scratch.view, changes);
    return changes;
  }

  /** The descriptions that get values, or keep some. */
  private static List<AttributeDescription> described(List<AttributeChange> changes) {
    List<AttributeDescription> described = new ArrayList<>(changes.size());
    for (AttributeChange change : changes) {
      if (!(change instanceof AttributeChange.Replaced replaced) || !replaced.values().isEmpty()) {
        described.add(change.description());
      }
    }
    return described;
  }

  /*
   * A store never takes a number back: a client that used up all of them would stop all changes for
   * good.
   */
  private void requireNumbers(Collection<AttributeDescription> descriptions)
      throws LdapOperationException {
    AttributeTable table = transaction().attributes();
    int maximum = directory.limits().updates().attributeOptions();
    int count = table.optionCount();
    for (AttributeDescription description : descriptions) {
      boolean isNew =
          description.hasFreeOptions() && table.id(description) == AttributeTable.ABSENT;
      if (isNew && ++count > maximum) {
        throw new LdapOperationException(
            ResultCode.ADMIN_LIMIT_EXCEEDED,
            "with "
                + description
                + " there would be more than "
                + maximum
                + " attribute descriptions with options");
      }
    }
  }

  /** The stamp of the change that is about to be applied. */
  public Stamp stamp(Dn writer) {
    return Stamp.next(context, writer);
  }

  void delete(Dn name, long id) throws LdapOperationException {
    context.nextCsn();
    context.apply(new ResolvedChange.Delete(name, id), cause);
  }

  /** Applies a change that carries its stamp. */
  public long apply(ResolvedChange change) throws LdapOperationException {
    return context.apply(change, cause);
  }

  /** Declares that all entries at and below a name are deleted. */
  void deletesTree(Dn top) {
    cause = cause.deletingTree(top);
  }

  /**
   * Returns the result once everything is applied, with the entry's new state if the client
   * requested it.
   */
  LdapResult applied(long id) throws LdapOperationException {
    AttributeSelection after = controls.postRead();
    if (after != null && show(id)) {
      UpdateRights asked = rights;
      respond(ControlType.POST_READ, after, asked == null ? null : asked.afterChange(scratch.view));
    }
    return result();
  }

  /**
   * The result once everything is applied.
   *
   * @throws LdapOperationException noOperation, if nothing is to be changed: the update is undone
   */
  public LdapResult result() throws LdapOperationException {
    if (controls.noOp()) {
      throw new LdapOperationException(
          LdapResult.of(ResultCode.NO_OPERATION, "nothing was changed, as asked for")
              .with(responses));
    }
    return responses.isEmpty() ? LdapResult.SUCCESS : LdapResult.SUCCESS.with(responses);
  }

  private static AttributeSelection readable(
      UpdateRights rights, AttributeSelection asked, @Nullable Profile profile) {
    return profile == null ? AttributeSelection.NOTHING : rights.readable(asked, profile);
  }

  /**
   * Appends the entry that the view shows.
   *
   * @param profile the client's rights to it; null if access rules do not decide
   */
  private void respond(ControlType type, AttributeSelection asked, @Nullable Profile profile)
      throws LdapOperationException {
    AttributeSelection selection = rights == null ? asked : readable(rights, asked, profile);
    long stored = ReadEntryEncoder.requireReturnable(transaction(), scratch.view, selection);
    context.takeMemory(stored);
    EntryRights entries = rights == null ? null : rights.entries();
    byte[] entry =
        ReadEntryEncoder.of(
            directory, transaction(), scratch.view, selection, controls.manageDsaIt(), entries);
    context.takeAnswer(Math.max(0, entry.length - stored));
    responses.add(new ResponseControl(type.oid(), entry));
  }
}
