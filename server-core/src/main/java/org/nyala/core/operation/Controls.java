package org.nyala.core.operation;

import java.util.List;

/** Reads the controls of a request (RFC 4511, section 4.1.11). */
final class Controls {
  /** ManageDsaIT: treat referral objects like other entries (RFC 3296, section 3). */
  static final String MANAGE_DSA_IT = "2.16.840.1.113730.3.4.2";

  private Controls() {}

  /**
   * Checks the controls of a request and tells whether ManageDsaIT is among them.
   *
   * @param controls what came with the request
   * @param apt whether the operation knows ManageDsaIT
   * @param maximum how many controls a request may have
   * @throws LdapOperationException when a critical control is not known, or the controls break the
   *     protocol
   */
  static boolean manageDsaIt(List<RequestControl> controls, boolean apt, int maximum)
      throws LdapOperationException {
    if (controls.isEmpty()) {
      return false;
    }
    if (controls.size() > maximum) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + maximum + " controls");
    }
    boolean manageDsaIt = false;
    for (int i = 0; i < controls.size(); i++) {
      RequestControl control = controls.get(i);
      checkFirst(controls, i);
      if (apt && control.oid().equals(MANAGE_DSA_IT)) {
        checkNoValue(control);
        manageDsaIt = true;
      } else if (control.critical()) {
        throw new LdapOperationException(
            ResultCode.UNAVAILABLE_CRITICAL_EXTENSION,
            "control " + control.oid() + " is not available here");
      }
    }
    return manageDsaIt;
  }

  private static void checkFirst(List<RequestControl> controls, int index)
      throws LdapOperationException {
    String oid = controls.get(index).oid();
    for (int i = 0; i < index; i++) {
      if (controls.get(i).oid().equals(oid)) {
        throw new LdapOperationException(
            ResultCode.PROTOCOL_ERROR, "control " + oid + " came more than once");
      }
    }
  }

  private static void checkNoValue(RequestControl control) throws LdapOperationException {
    if (control.value() != null) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "control " + control.oid() + " takes no value");
    }
  }
}
