package org.nyala.core.operation.update;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.PasswordClient;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.RulesAttribute;
import org.nyala.core.rules.EntryRules;
import org.nyala.core.rules.Presented;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.update.UpdateContext;
import org.nyala.extension.PlacementRule;

/**
 * An add (RFC 4511, section 4.7).
 *
 * <p>Confined to one running operation.
 */
public final class AddOperation implements RuledUpdate {
  public static final Set<ControlType> CONTROLS =
      UpdateControls.and(ControlType.POST_READ, ControlType.PASSWORD_POLICY);

  private final OperationContext directory;
  private final UpdateControls controls;
  private final Backend backend;
  private final Requester writer;
  private final Entry entry;
  private final ClassSet classes;

  private AddOperation(
      OperationContext directory,
      UpdateControls controls,
      Backend backend,
      Requester writer,
      Entry entry,
      ClassSet classes) {
    this.directory = directory;
    this.controls = controls;
    this.backend = backend;
    this.writer = writer;
    this.entry = entry;
    this.classes = classes;
  }

  static Presented<AddOperation> prepare(
      OperationContext directory,
      Request.Add request,
      Requester requester,
      RequestControls honoured)
      throws LdapOperationException {
    UpdateControls controls =
        UpdateControls.read(
            directory.reading(),
            honoured,
            requester.identity(),
            requester.isRuled(directory),
            requester.roomForAssertion());
    Dn name = directory.scratch().names.parse(request.name());
    if (directory.virtualEntries().at(name) != null) {
      requireToKnowServersEntries(directory, name, requester);
      throw new LdapOperationException(
          ResultCode.ENTRY_ALREADY_EXISTS, "the server itself has an entry of this name");
    }
    Backend backend = directory.updating().writeAccess().backendOf(name, requester.identity());
    if (request.attributes().isEmpty()) {
      throw new LdapOperationException(ResultCode.PROTOCOL_ERROR, "an entry without attributes");
    }
    EntryRules rules = directory.updating().rules();
    Presented<Entry> presented = rules.newEntry(name, request.attributes(), controls.relaxed());
    return pace -> {
      Entry entry = presented.go(pace);
      if (entry == null) {
        return null;
      }
      ClassSet classes = rules.checkNew(entry, controls.relaxed());
      return new AddOperation(directory, controls, backend, requester, entry, classes);
    };
  }

  /** Answers those who may know of none of the server's entries as for any name without a store. */
  private static void requireToKnowServersEntries(
      OperationContext directory, Dn name, Requester requester) throws LdapOperationException {
    if (requester.isRuled(directory)) {
      Backend _ = directory.updating().writeAccess().backendOf(name, requester.identity());
      throw UpdateRights.insufficient();
    }
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public boolean manageDsaIt() {
    return controls.manageDsaIt();
  }

  @Override
  public boolean isComposite() {
    return controls.isComposite();
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    UpdateTurn turn = new UpdateTurn(directory, context, controls, writer);
    UpdateRights rights = turn.rights();
    Entry known = rights == null ? null : completed(turn);
    Profile profile = rights == null || known == null ? null : required(rights, known, turn);
    long parent = new EntryPlacement(directory, turn.transaction(), rights).parentOfNew(entry.dn());
    new DescendantNameCheck(directory.reading(), turn.transaction())
        .requireShort(entry.dn(), parent);
    directory.updating().structureRules().check(turn.transaction(), classes, entry.dn(), parent);
    for (PlacementRule rule : directory.hooks().placements()) {
      rule.checkNew(backend, context, classes, parent);
    }
    turn.check(entry, profile);
    Entry complete = known == null ? completed(turn) : known;
    AttributeTable given = show(turn.transaction(), directory.scratch().view);
    if (given != null) {
      PasswordClient client =
          new PasswordClient(
              writer.isOwner(entry.dn()),
              ModifyDemand.managesPasswords(
                  directory.schema(), writer, entry.dn(), rights, profile),
              writer.checkedBy(),
              writer.provesOld());
      directory
          .accounts()
          .completeNew(client, turn.transaction(), directory.scratch().view, given, complete);
    }
    new EntrySize(directory.limits().updates().sizes()).check(complete);
    return turn.applied(turn.apply(new ResolvedChange.Add(complete)));
  }

  /** Returns the entry with the attributes that the server itself writes. */
  private Entry completed(UpdateTurn turn) throws LdapOperationException {
    Entry complete = new Entry(entry.dn());
    for (AttributeDescription description : entry.descriptions()) {
      values(description).forEach(value -> complete.add(description, value));
    }
    ObjectClass structural = classes.structural();
    if (structural == null) {
      throw new IllegalStateException("an entry without a structural class was accepted");
    }
    directory
        .updating()
        .operational()
        .complete(complete, structural, directory.updating().newUuid(), turn.stamp(writer.dn()));
    for (PlacementRule rule : directory.hooks().placements()) {
      rule.complete(complete, classes);
    }
    return complete;
  }

  @Override
  public Dn name() {
    return entry.dn();
  }

  @Override
  public boolean managesPasswords(Requester client, @Nullable UpdateRights rights)
      throws LdapOperationException {
    Profile profile =
        rights == null ? null : rights.of(VirtualEntry.of(entry), directory.scratch().view);
    return ModifyDemand.managesPasswords(directory.schema(), client, entry.dn(), rights, profile);
  }

  @Override
  public @Nullable AttributeTable show(ReadTransaction transaction, EntryView view) {
    if (entry.descriptions().stream().noneMatch(each -> SecretTypes.isPassword(each.type()))) {
      return null;
    }
    VirtualEntry virtual = VirtualEntry.of(entry);
    virtual.show(view);
    return virtual.table();
  }

  @Override
  public void requireRights(UpdateRights rights) throws LdapOperationException {
    EntryPlacement placement = new EntryPlacement(directory, rights.transaction(), rights);
    rights.requireToAddBelowParent(entry.dn(), placement.isTop(entry.dn()));
  }

  /**
   * Requires the rights to the parent, to the entry as it will be, and to the values that the
   * client gives it.
   */
  private Profile required(UpdateRights rights, Entry complete, UpdateTurn turn)
      throws LdapOperationException {
    requireRights(rights);
    Profile profile = rights.of(VirtualEntry.of(complete), turn.view());
    if (!profile.allowsEntry(Right.ADD) || !hasOnValues(rights.values(profile))) {
      throw UpdateRights.insufficient();
    }
    return profile;
  }

  private boolean hasOnValues(ValueRights rights) {
    Set<AttributeDescription> hashed =
        ModifyDemand.described(directory.schema(), writer.sentHashed());
    for (AttributeDescription description : entry.descriptions()) {
      List<byte[]> given = values(description);
      boolean isManaged =
          controls.relaxed()
              || hashed.contains(description)
              || RulesAttribute.isHeldIn(description.type());
      boolean isAllowed =
          rights.has(description, Right.ADD, given)
              && (!isManaged || rights.has(description, Right.MANAGE, given));
      if (!isAllowed) {
        return false;
      }
    }
    return true;
  }

  private List<byte[]> values(AttributeDescription description) {
    List<byte[]> values = entry.values(description);
    return values == null ? List.of() : values;
  }
}
