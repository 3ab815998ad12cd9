package org.nyala.core.operation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.virtual.Capabilities;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.core.operation.search.SearchControls;
import org.nyala.core.operation.update.AddOperation;
import org.nyala.core.operation.update.DeleteOperation;
import org.nyala.core.operation.update.ModifyDnOperation;
import org.nyala.core.operation.update.ModifyOperation;
import org.nyala.extension.ExtendedKind;
import org.nyala.extension.Extensions;

/**
 * The controls that each operation of a directory honours; any other is ignored, or refused if it
 * is critical.
 *
 * <p>Immutable.
 */
final class SupportedControls {
  private final Map<OperationType, Set<ControlType>> honoured = new EnumMap<>(OperationType.class);
  private final Map<String, ExtendedKind> extended;

  /**
   * Joins the controls of every directory with those of extensions.
   *
   * @param extensions those of the directory
   */
  SupportedControls(Extensions extensions) {
    extended = extensions.extended();
    for (OperationType type : OperationType.values()) {
      Set<ControlType> all = EnumSet.noneOf(ControlType.class);
      all.addAll(ofEvery(type));
      all.addAll(extensions.controls(type));
      honoured.put(type, all);
    }
  }

  private static Set<ControlType> ofEvery(OperationType type) {
    return switch (type) {
      case SEARCH -> SearchControls.CONTROLS;
      case BIND -> AccountControl.BIND_CONTROLS;
      case COMPARE -> CompareOperation.CONTROLS;
      case ADD -> AddOperation.CONTROLS;
      case DELETE -> DeleteOperation.CONTROLS;
      case MODIFY -> ModifyOperation.CONTROLS;
      case MODIFY_DN -> ModifyDnOperation.CONTROLS;
      case EXTENDED, ABANDON, UNBIND -> Set.of();
    };
  }

  /** The controls that the operation of a request honours. */
  Set<ControlType> of(Request request) {
    if (!(request instanceof Request.Extended other)) {
      return honoured.getOrDefault(request.type(), Set.of());
    }
    ExtendedKind kind = extended.get(other.oid());
    return kind == null ? ExtendedOperation.controls(other.oid()) : kind.controls();
  }

  /**
   * The abilities of all operations.
   *
   * @param startsTls true if connections can be encrypted
   */
  Capabilities capabilities(boolean startsTls) {
    List<String> extensions = new ArrayList<>(ExtendedOperation.OIDS);
    if (startsTls) {
      extensions.add(StartTlsOperation.OID);
    }
    extensions.addAll(extended.keySet());
    return new Capabilities(oids(), extensions, Map.of());
  }

  /** The object identifiers of the controls that any operation honours. */
  List<String> oids() {
    Set<ControlType> types = EnumSet.noneOf(ControlType.class);
    honoured.values().forEach(types::addAll);
    for (String oid : ExtendedOperation.OIDS) {
      types.addAll(ExtendedOperation.controls(oid));
    }
    extended.values().forEach(each -> types.addAll(each.controls()));
    List<String> oids = new ArrayList<>(types.size());
    types.forEach(type -> oids.addAll(type.oids()));
    return oids;
  }
}
