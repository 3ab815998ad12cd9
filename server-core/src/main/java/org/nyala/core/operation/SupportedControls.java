package org.nyala.core.operation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.virtual.Capabilities;
import org.nyala.core.message.Request;
import org.nyala.core.operation.bind.BindOperation;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.core.operation.search.SearchControls;
import org.nyala.core.operation.update.AddOperation;
import org.nyala.core.operation.update.DeleteOperation;
import org.nyala.core.operation.update.ModifyDnOperation;
import org.nyala.core.operation.update.ModifyOperation;

/** The controls that each operation honours; any other is ignored, or refused if it is critical. */
final class SupportedControls {
  private SupportedControls() {}

  /** The controls that the operation of a request honours. */
  static Set<ControlType> of(Request request) {
    return switch (request) {
      case Request.Search _ -> SearchControls.CONTROLS;
      case Request.Bind _ -> BindOperation.CONTROLS;
      case Request.Compare _ -> CompareOperation.CONTROLS;
      case Request.Extended extended -> ExtendedOperation.controls(extended.oid());
      case Request.Add _ -> AddOperation.CONTROLS;
      case Request.Delete _ -> DeleteOperation.CONTROLS;
      case Request.Modify _ -> ModifyOperation.CONTROLS;
      case Request.ModifyDn _ -> ModifyDnOperation.CONTROLS;
      case Request.Abandon _, Request.Unbind _ -> Set.of();
    };
  }

  /**
   * The abilities of all operations.
   *
   * @param startsTls true if connections can be encrypted
   */
  static Capabilities capabilities(boolean startsTls) {
    List<String> extensions = new ArrayList<>(ExtendedOperation.OIDS);
    if (startsTls) {
      extensions.add(StartTlsOperation.OID);
    }
    return new Capabilities(oids(), extensions, ExtendedOperation.DYNAMIC_OIDS);
  }

  /** The object identifiers of the controls that any operation honours. */
  static List<String> oids() {
    Set<ControlType> types = EnumSet.noneOf(ControlType.class);
    types.addAll(SearchControls.CONTROLS);
    types.addAll(BindOperation.CONTROLS);
    types.addAll(CompareOperation.CONTROLS);
    types.addAll(AddOperation.CONTROLS);
    types.addAll(DeleteOperation.CONTROLS);
    types.addAll(ModifyOperation.CONTROLS);
    types.addAll(ModifyDnOperation.CONTROLS);
    for (String oid : ExtendedOperation.OIDS) {
      types.addAll(ExtendedOperation.controls(oid));
    }
    List<String> oids = new ArrayList<>(types.size());
    types.forEach(type -> oids.addAll(type.oids()));
    return oids;
  }
}
