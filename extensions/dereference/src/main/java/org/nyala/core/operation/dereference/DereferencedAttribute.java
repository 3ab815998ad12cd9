package org.nyala.core.operation.dereference;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.DereferenceRequest;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.SelectionCache;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * An attribute whose values are dereferenced, as the control of a search requests it.
 *
 * <p>Immutable.
 *
 * @param attribute the attribute
 * @param itself the selection of it
 * @param selection the attributes requested of the entries that it names
 */
record DereferencedAttribute(
    AttributeDescription attribute, AttributeSelection itself, AttributeSelection selection) {
  private static final String DN_SYNTAX = "1.3.6.1.4.1.1466.115.121.1.12";

  /**
   * Reads the control of a search.
   *
   * @param selections the selections among the attributes that the client may see at all
   * @return null if there is none, or if it is not critical and names an attribute that does not
   *     hold names
   * @throws LdapOperationException protocolError if the value is malformed, an attribute to
   *     dereference is unknown, comes twice, or does not hold names; adminLimitExceeded for too
   *     many attributes
   */
  static @Nullable List<DereferencedAttribute> read(
      OperationContext directory, RequestControls controls, SelectionCache selections)
      throws LdapOperationException {
    ServerLimits limits = directory.limits();
    DereferenceRequest request =
        DereferenceRequest.of(
            controls,
            limits.searches().dereferencedAttributes(),
            limits.requests().requestedAttributes());
    if (request == null) {
      return null;
    }
    List<DereferencedAttribute> wanted = new ArrayList<>(request.specs().size());
    boolean areNames = true;
    for (DereferenceRequest.Spec spec : request.specs()) {
      AttributeDescription attribute =
          AttributeDescription.parse(directory.schema(), spec.attribute());
      if (attribute == null) {
        throw refused("'" + spec.attribute() + "' is not an attribute of the schema");
      }
      if (!DN_SYNTAX.equals(attribute.type().syntax().builtInOid())) {
        areNames = false;
      } else {
        requireNew(wanted, attribute);
        AttributeSelection itself = selections.selection(List.of(spec.attribute()), false);
        wanted.add(
            new DereferencedAttribute(attribute, itself, selection(directory, spec, selections)));
      }
    }
    if (!areNames && controls.isCritical(ControlType.DEREFERENCE)) {
      throw refused("an attribute to dereference does not hold names");
    }
    return areNames ? List.copyOf(wanted) : null;
  }

  private static void requireNew(List<DereferencedAttribute> wanted, AttributeDescription attribute)
      throws LdapOperationException {
    for (DereferencedAttribute each : wanted) {
      if (each.attribute().equals(attribute)) {
        throw refused("'" + attribute.name() + "' is to be dereferenced twice");
      }
    }
  }

  private static LdapOperationException refused(String why) {
    return new LdapOperationException(
        ResultCode.PROTOCOL_ERROR, "control " + ControlType.DEREFERENCE.oid() + ": " + why);
  }

  /** Names that are no attributes of the schema, like those that stand for several, select none. */
  private static AttributeSelection selection(
      OperationContext directory, DereferenceRequest.Spec spec, SelectionCache selections) {
    List<String> known = new ArrayList<>(spec.wanted().size());
    for (String name : spec.wanted()) {
      if (AttributeDescription.parse(directory.schema(), name) != null) {
        known.add(name);
      }
    }
    return known.isEmpty() ? AttributeSelection.NOTHING : selections.selection(known, false);
  }
}
