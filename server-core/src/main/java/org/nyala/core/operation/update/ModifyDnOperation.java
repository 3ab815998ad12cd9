package org.nyala.core.operation.update;

import java.util.List;
import java.util.Set;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.NameCache;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rules.AttributeModifications;
import org.nyala.core.rules.ValueSet;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.update.UpdateContext;
import org.nyala.extension.PlacementRule;

/**
 * A modify DN (RFC 4511, section 4.9): another RDN, another superior or both, for an entry and
 * everything below it.
 *
 * <p>Confined to one running operation.
 */
public final class ModifyDnOperation implements PreparedUpdate {
  public static final Set<ControlType> CONTROLS =
      UpdateControls.and(ControlType.PRE_READ, ControlType.POST_READ);

  private final OperationContext directory;
  private final UpdateControls controls;
  private final Backend backend;
  private final Requester writer;
  private final Dn name;
  private final Dn newName;
  private final boolean deleteOldRdn;

  private ModifyDnOperation(
      OperationContext directory,
      UpdateControls controls,
      Backend backend,
      Requester writer,
      Dn name,
      Dn newName,
      boolean deleteOldRdn) {
    this.directory = directory;
    this.controls = controls;
    this.backend = backend;
    this.writer = writer;
    this.name = name;
    this.newName = newName;
    this.deleteOldRdn = deleteOldRdn;
  }

  static ModifyDnOperation prepare(
      OperationContext directory,
      Request.ModifyDn request,
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
    NameCache names = directory.scratch().names;
    Dn name = names.parse(request.name());
    if (directory.virtualEntries().at(name) != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the server's own entries cannot be renamed");
    }
    Dn rdn = names.parse(request.newRdn());
    if (rdn.rdnCount() != 1) {
      throw new LdapOperationException(ResultCode.INVALID_DN_SYNTAX, "the new RDN is not one RDN");
    }
    String superior = request.newSuperior();
    Backend backend = directory.updating().writeAccess().backendOf(name, requester.identity());
    Dn newName = rdn.under(superior == null ? name.parent() : names.parse(superior));
    checkNewName(directory, name, newName);
    if (directory.updating().writeAccess().backendOf(newName, requester.identity()) != backend) {
      throw new IllegalStateException("a naming context in two stores");
    }
    return new ModifyDnOperation(
        directory, controls, backend, requester, name, newName, request.deleteOldRdn());
  }

  private static void checkNewName(OperationContext directory, Dn name, Dn newName)
      throws LdapOperationException {
    Dn suffix = directory.contexts().suffixOf(name);
    if (suffix == null || !suffix.equals(directory.contexts().suffixOf(newName))) {
      throw new LdapOperationException(
          ResultCode.AFFECTS_MULTIPLE_DSAS,
          name.equals(suffix)
              ? "the top of a naming context cannot be renamed: export it, change the suffix,"
                  + " import"
              : "the new name is in another naming context");
    }
    if (newName.rdnCount() > name.rdnCount() && newName.parent().isWithin(name)) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "an entry cannot stand below itself");
    }
    if (name.equals(suffix)) {
      throw new LdapOperationException(
          ResultCode.NAMING_VIOLATION,
          "the entry at the top of a naming context cannot be renamed");
    }
    boolean isTooLong =
        newName.raw().length > directory.limits().requests().dnLength()
            || newName.rdnCount() > directory.limits().requests().dnRdns();
    if (isTooLong) {
      throw new LdapOperationException(ResultCode.INVALID_DN_SYNTAX, "the new name is too long");
    }
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public boolean isComposite() {
    return controls.isComposite();
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    UpdateTurn turn = new UpdateTurn(directory, context, controls, writer);
    long id = turn.find(name, this::mayRename);
    StoredEntry stored = StoredEntry.of(turn.transaction(), turn.view(), name);
    long superior = placeFor(turn, id);
    new DescendantNameCheck(directory.reading(), turn.transaction())
        .check(id, name, newName, superior);
    AttributeModifications modifications =
        new AttributeModifications(stored.entry(), stored.apart(), false);
    modifications.rename(directory.updating().rules(), newName, deleteOldRdn);
    List<AttributeChange> resolved = turn.resolve(id, modifications, writer.dn());
    ClassSet classes = directory.updating().rules().classSet(stored.entry());
    directory.updating().structureRules().check(turn.transaction(), classes, newName, superior);
    if (!newName.parent().equals(name.parent())) {
      for (PlacementRule rule : directory.hooks().placements()) {
        rule.checkMoved(turn.transaction(), classes, superior);
      }
    }
    turn.apply(new ResolvedChange.Rename(name, id, newName, resolved));
    return turn.applied(id);
  }

  /** Returns whether the client may take the entry away from its place and its name. */
  private boolean mayRename(UpdateRights rights, Profile profile, EntryView entry)
      throws LdapOperationException {
    for (Right right : Right.WRITE) {
      if (!profile.allowsEntry(right)) {
        return false;
      }
    }
    return rights.mayTakeRules(profile, entry)
        && rights.hasOnSiblings(name, Right.REMOVE)
        && mayRename(rights.values(profile));
  }

  /** Returns whether the client may add the values of the new RDN, and remove those that go. */
  private boolean mayRename(ValueRights rights) throws LdapOperationException {
    List<NamingValue> named = directory.updating().rules().namingValues(newName);
    for (NamingValue each : named) {
      if (!hasOn(rights, each, Right.ADD)) {
        return false;
      }
    }
    if (!deleteOldRdn) {
      return true;
    }
    for (NamingValue each : directory.updating().rules().namingValues(name)) {
      boolean stays = named.stream().anyMatch(other -> isSame(each, other));
      if (!stays && !hasOn(rights, each, Right.REMOVE)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasOn(ValueRights rights, NamingValue value, Right right) {
    AttributeDescription attribute = AttributeDescription.of(value.type());
    return rights.has(attribute, right, value.value())
        && (!controls.relaxed() || rights.hasAll(attribute, Right.MANAGE));
  }

  private static boolean isSame(NamingValue one, NamingValue other) {
    return one.type().equals(other.type())
        && ValueSet.of(one.type(), List.of(one.value())).contains(other.value());
  }

  /** The entry id of the superior; checks that the entry may be put below it. */
  private long placeFor(UpdateTurn turn, long id) throws LdapOperationException {
    WriteTransaction transaction = turn.transaction();
    Dn superior = newName.parent();
    UpdateRights rights = turn.rights();
    EntryPlacement placement = new EntryPlacement(directory, transaction, rights);
    if (rights != null) {
      placement.requireToMoveBelow(rights, superior, placement.isTop(newName));
    }
    long superiorId =
        superior.equals(name.parent())
            ? transaction.find(superior)
            : placement.newSuperior(newName);
    long there = transaction.find(newName);
    if (there != ReadTransaction.NO_ENTRY && there != id) {
      placement.requireFree(there);
    }
    return superiorId;
  }
}
