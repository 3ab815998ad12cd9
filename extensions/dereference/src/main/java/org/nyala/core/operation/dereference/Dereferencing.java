package org.nyala.core.operation.dereference;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.extension.Directory;
import org.nyala.extension.EntryControls;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;

/**
 * The extension by which searches tell attributes of the entries that values name
 * (draft-masarati-ldap-deref-00).
 *
 * <p>Immutable.
 */
public final class Dereferencing implements Extension, Hooks, EntryControls {
  /** The name, which is that of slapd's overlay. */
  public static final String NAME = "deref";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<ControlType> controls(OperationType type) {
    return type == OperationType.SEARCH ? Set.of(ControlType.DEREFERENCE) : Set.of();
  }

  @Override
  public Hooks hooks(Directory directory) {
    return this;
  }

  @Override
  public EntryControls entryControls() {
    return this;
  }

  @Override
  public @Nullable Wanted read(Directory directory, RequestControls honoured, boolean isOpen)
      throws LdapOperationException {
    if (!honoured.has(ControlType.DEREFERENCE)) {
      return null;
    }
    OperationContext whole = (OperationContext) directory;
    OperationScratch scratch = whole.scratch();
    List<DereferencedAttribute> attributes =
        DereferencedAttribute.read(
            whole, honoured, isOpen ? scratch.openSelections : scratch.selections);
    return attributes == null
        ? null
        : new Names(whole, honoured, SubentryVisibility.read(honoured), attributes);
  }

  /** The names that a search wants looked up. Immutable. */
  private record Names(
      OperationContext directory,
      RequestControls controls,
      SubentryVisibility subentries,
      List<DereferencedAttribute> attributes)
      implements Wanted {
    @Override
    public @Nullable Collector begin(Operation operation, Pace pace) {
      return controls.has(ControlType.SYNC_REQUEST)
              || controls.has(ControlType.PERSISTENT_SEARCH)
              || controls.has(ControlType.SORT)
          ? null
          : new DereferencedValues(directory, attributes, controls, subentries, operation, pace);
    }

    @Override
    public void requireFit(boolean isInOrderOfStore) throws LdapOperationException {
      if (!isInOrderOfStore && controls.isCritical(ControlType.DEREFERENCE)) {
        throw new LdapOperationException(
            ResultCode.UNAVAILABLE_CRITICAL_EXTENSION,
            "the dereference control needs a search of stored entries that is neither sorted nor"
                + " persistent");
      }
    }
  }
}
