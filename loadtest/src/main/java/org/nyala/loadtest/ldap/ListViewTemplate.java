package org.nyala.loadtest.ldap;

import java.util.Arrays;

/**
 * The requests for windows of one list: encoded once for every length that an offset can have.
 * Confined to the channel's event loop.
 */
public final class ListViewTemplate {
  private static final int MAX_OCTETS = 4;

  private final byte[][] messages = new byte[MAX_OCTETS + 1][];
  private final int[] offsetPlaces = new int[MAX_OCTETS + 1];

  /**
   * Encodes the requests.
   *
   * @param base the base of the searches
   * @param sortKey the key of the list, see {@link Controls#sort}
   * @param window the number of entries of a window
   * @param context the server's identifier of the list; empty for a new list
   */
  public ListViewTemplate(String base, String sortKey, int window, byte[] context) {
    byte[] filter = Pdu.equality("objectClass", "inetOrgPerson");
    String[] attributes = {"uid", "cn", "mail"};
    byte[] sort = Controls.sort(sortKey);
    for (int octets = 1; octets <= MAX_OCTETS; octets++) {
      int some = 0x40 << 8 * (octets - 1);
      byte[][] variants = new byte[2][];
      for (int i = 0; i < 2; i++) {
        byte[] view = Controls.listView(some + i, window, context);
        variants[i] = Pdu.controlledSearch(base, filter, attributes, sort, view);
      }
      messages[octets] = variants[0];
      offsetPlaces[octets] = Arrays.mismatch(variants[0], variants[1]) - octets + 1;
    }
  }

  /**
   * The request for the window that begins at an offset.
   *
   * @param offset at least 1, the first entry of the list
   * @return a whole message, valid until the next call
   */
  public byte[] message(int offset) {
    int octets = 1 + (32 - Integer.numberOfLeadingZeros(offset)) / 8;
    byte[] message = messages[octets];
    for (int i = octets - 1, rest = offset; i >= 0; i--, rest >>>= 8) {
      message[offsetPlaces[octets] + i] = (byte) rest;
    }
    return message;
  }
}
