package org.nyala.core.control;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerLimitException;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;

/**
 * The controls of one request that its operation honours (RFC 4511, section 4.1.11). A control that
 * the operation does not honour is left out, or refused when it is critical.
 *
 * <p>Immutable, but for the values, which are never written to.
 */
public final class RequestControls {
  /** A request without controls. */
  public static final RequestControls NONE = new RequestControls(Map.of());

  private final Map<ControlType, RequestControl> controls;

  private RequestControls(Map<ControlType, RequestControl> controls) {
    this.controls = controls;
  }

  /**
   * Reads the controls of a request; costs nothing if there are none.
   *
   * @param controls the controls of the request
   * @param honoured the controls that the operation carries out
   * @param maximum the maximum number of controls in a request
   * @throws LdapOperationException unavailableCriticalExtension for a critical control that is not
   *     honoured, protocolError for an honoured one that occurs twice, lacks its value or has one
   *     it must not have, adminLimitExceeded for too many
   */
  public static RequestControls read(
      List<RequestControl> controls, Set<ControlType> honoured, int maximum)
      throws LdapOperationException {
    if (controls.isEmpty()) {
      return NONE;
    }
    if (controls.size() > maximum) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + maximum + " controls");
    }
    Map<ControlType, RequestControl> found = new EnumMap<>(ControlType.class);
    for (int i = 0; i < controls.size(); i++) {
      RequestControl control = controls.get(i);
      ControlType type = ControlType.of(control.oid());
      if (type == ControlType.SESSION_TRACKING && honoured.contains(type)) {
        // It may come for each party on the way, and is never a reason to refuse anything.
        found.putIfAbsent(type, control);
      } else if (type != null && honoured.contains(type)) {
        checkValue(control, type);
        if (found.put(type, control) != null) {
          throw new LdapOperationException(
              ResultCode.PROTOCOL_ERROR, "control " + control.oid() + " came more than once");
        }
      } else if (control.critical()) {
        throw unavailable(control);
      }
    }
    return found.isEmpty() ? NONE : new RequestControls(found);
  }

  /**
   * These controls as an operation takes them that honours fewer.
   *
   * @throws LdapOperationException unavailableCriticalExtension for a critical control that is not
   *     honoured
   */
  public RequestControls only(Set<ControlType> honoured) throws LdapOperationException {
    Map<ControlType, RequestControl> left = new EnumMap<>(ControlType.class);
    for (Map.Entry<ControlType, RequestControl> each : controls.entrySet()) {
      if (honoured.contains(each.getKey())) {
        left.put(each.getKey(), each.getValue());
      } else if (each.getValue().critical()) {
        throw unavailable(each.getValue());
      }
    }
    return left.isEmpty() ? NONE : new RequestControls(left);
  }

  private static LdapOperationException unavailable(RequestControl control) {
    ControlType type = ControlType.of(control.oid());
    String name = type == null ? "" : " (" + type.label() + ')';
    return new LdapOperationException(
        ResultCode.UNAVAILABLE_CRITICAL_EXTENSION,
        "control " + control.oid() + name + " is not available here");
  }

  private static void checkValue(RequestControl control, ControlType type)
      throws LdapOperationException {
    boolean needed = type.value() == ControlType.Value.NEEDED;
    boolean isAny = type.value() == ControlType.Value.POSSIBLE;
    if (!isAny && needed != (control.value() != null)) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR,
          "control " + control.oid() + (needed ? " needs a value" : " takes no value"));
    }
  }

  @FunctionalInterface
  public interface Decoder<T> {
    /** Reads the whole value; remaining bytes are an error. */
    T decode(BerReader value) throws InvalidBerException;
  }

  /**
   * Returns the decoded value of a control; null if the control is absent.
   *
   * @throws LdapOperationException protocolError if the value is malformed, adminLimitExceeded if
   *     it is larger than the limits allow
   */
  public <T> @Nullable T decode(ControlType type, Decoder<T> decoder)
      throws LdapOperationException {
    RequestControl control = controls.get(type);
    BerReader reader = control == null ? null : control.reader();
    if (reader == null) {
      return null;
    }
    try {
      T decoded = decoder.decode(reader);
      reader.requireEnd();
      return decoded;
    } catch (BerLimitException e) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "value of control " + type.oid() + ": " + e.getMessage());
    } catch (InvalidBerException e) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "value of control " + type.oid() + ": " + e.getMessage());
    }
  }

  /** Returns whether the request has the control and the operation honours it. */
  public boolean has(ControlType type) {
    return controls.containsKey(type);
  }

  /** Returns whether the request has no control that the operation honours. */
  public boolean isEmpty() {
    return controls.isEmpty();
  }

  /** Returns whether the control is present and critical. */
  public boolean isCritical(ControlType type) {
    RequestControl control = controls.get(type);
    return control != null && control.critical();
  }

  /** The value of the control in BER; null if it is not there or takes none. */
  public byte @Nullable [] value(ControlType type) {
    RequestControl control = controls.get(type);
    return control == null ? null : control.value();
  }
}
