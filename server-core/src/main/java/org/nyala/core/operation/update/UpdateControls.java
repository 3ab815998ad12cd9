package org.nyala.core.operation.update;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.ReadServices;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * The decoded controls of an update.
 *
 * <p>Confined to one running operation.
 *
 * @param manageDsaIt true if referral objects are treated as ordinary entries (RFC 3296)
 * @param relaxed true if some rules of the data model are relaxed (draft-zeilenga-ldap-relax);
 *     access rules demand {@code manage} on whatever is changed then
 * @param noOp true if nothing is to be changed in the end (draft-zeilenga-ldap-noop)
 * @param permissive true if it is no error to add existing values or delete missing ones
 * @param treeDelete true if all entries below are deleted too
 * @param assertion the filter that the entry must match (RFC 4528), or null
 * @param guarded the same if access rules decide which of its items the client may test, or null
 * @param preRead the attributes to return of the entry before the update (RFC 4527), or null
 * @param postRead the attributes to return of the entry after the update (RFC 4527), or null
 */
public record UpdateControls(
    boolean manageDsaIt,
    boolean relaxed,
    boolean noOp,
    boolean permissive,
    boolean treeDelete,
    @Nullable CompiledFilter assertion,
    @Nullable GuardedFilter guarded,
    @Nullable AttributeSelection preRead,
    @Nullable AttributeSelection postRead) {
  /** The controls that every kind of update honours. */
  private static final Set<ControlType> COMMON =
      Set.of(
          ControlType.MANAGE_DSA_IT,
          ControlType.ASSERTION,
          ControlType.NO_OP,
          ControlType.RELAX_RULES,
          ControlType.PROXIED_AUTHORIZATION,
          ControlType.SESSION_TRACKING,
          ControlType.TRANSACTION);

  public static final UpdateControls NONE =
      new UpdateControls(false, false, false, false, false, null, null, null, null);

  /** Returns the controls that every kind of update honours, and the given ones. */
  static Set<ControlType> and(ControlType... types) {
    Set<ControlType> all = EnumSet.copyOf(COMMON);
    all.addAll(List.of(types));
    return Set.copyOf(all);
  }

  /**
   * Reads the values of an update's controls.
   *
   * @param controls those that this kind of update honours
   * @param isRuled true if access rules decide about the client
   * @param room the memory for the assertion
   * @throws LdapOperationException if a value is malformed, or the identity may not relax the rules
   */
  public static UpdateControls read(
      ReadServices reading,
      RequestControls controls,
      BoundIdentity identity,
      boolean isRuled,
      Compilation.Room room)
      throws LdapOperationException {
    if (controls.isEmpty()) {
      return NONE;
    }
    return isRuled
        ? read(reading, controls, null, AssertionControl.readGuarded(reading, controls, room))
        : readUnruled(reading, controls, identity, AssertionControl.read(reading, controls, room));
  }

  /**
   * Reads the controls of an update but for the assertion.
   *
   * @throws LdapOperationException if a value is malformed, or the identity may not relax the rules
   */
  static UpdateControls withoutAssertion(
      ReadServices reading, RequestControls controls, BoundIdentity identity)
      throws LdapOperationException {
    return readUnruled(reading, controls, identity, null);
  }

  private static UpdateControls readUnruled(
      ReadServices reading,
      RequestControls controls,
      BoundIdentity identity,
      @Nullable CompiledFilter assertion)
      throws LdapOperationException {
    if (controls.has(ControlType.RELAX_RULES) && !identity.isRoot()) {
      throw new LdapOperationException(
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS, "only root may relax the rules");
    }
    return read(reading, controls, assertion, null);
  }

  private static UpdateControls read(
      ReadServices reading,
      RequestControls controls,
      @Nullable CompiledFilter assertion,
      @Nullable GuardedFilter guarded)
      throws LdapOperationException {
    boolean relaxed = controls.has(ControlType.RELAX_RULES);
    return new UpdateControls(
        controls.has(ControlType.MANAGE_DSA_IT),
        relaxed,
        controls.has(ControlType.NO_OP),
        controls.has(ControlType.PERMISSIVE_MODIFY),
        controls.has(ControlType.TREE_DELETE),
        assertion,
        guarded,
        selection(reading, controls, ControlType.PRE_READ),
        selection(reading, controls, ControlType.POST_READ));
  }

  /**
   * Returns whether the update may have to be undone after it was applied: only then is it known
   * whether the resulting entry is too large to be returned.
   */
  boolean isComposite() {
    return noOp || treeDelete || postRead != null;
  }

  /** Reads an {@code AttributeSelection} (RFC 4511, section 4.5.1). */
  private static @Nullable AttributeSelection selection(
      ReadServices reading, RequestControls controls, ControlType type)
      throws LdapOperationException {
    int most = reading.limits().requests().requestedAttributes();
    List<String> names =
        controls.decode(
            type,
            value -> value.sequence().list(most, "attributes requested", UpdateControls::name));
    return names == null
        ? null
        : AttributeSelection.of(reading.schema(), names, false, reading.visibility());
  }

  private static String name(BerReader in) throws InvalidBerException {
    return BerReader.lenientText(in.octets());
  }
}
