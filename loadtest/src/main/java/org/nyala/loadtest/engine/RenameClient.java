package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.Pdu;

/**
 * Renames a random person and renames it back, over and over. Every client has people of its own,
 * so that no other client uses one while it is renamed. Confined to the channel's event loop.
 */
final class RenameClient extends PairClient {
  private final int first;
  private final int users;

  RenameClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(
        loop,
        seed,
        connection,
        loop.templates().rename(),
        Pdu.RENAME_RESPONSE,
        loop.templates().renameBack(),
        Pdu.RENAME_RESPONSE);
    users = loop.settings().people().users();
    first = loop.settings().options().values().first();
  }

  @Override
  int chooseNumber() {
    int clients = clients();
    if (isPart()) {
      return first + loop().settings().sharedUsers() + client();
    }
    return first + client() + clients * randomBelow((users - client() + clients - 1) / clients);
  }

  @Override
  long chooseStamp() {
    return 0;
  }
}
