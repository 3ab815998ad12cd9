package org.nyala.core.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

class MemoryBudgetTest {
  private static final long MEBIBYTE = 1 << 20;

  private final MemoryBudget budget =
      new MemoryBudget(
          new MemoryBounds(8 * MEBIBYTE, 3 * MEBIBYTE, 2 * MEBIBYTE), System::nanoTime);

  @Test
  void boundsTheConnectionTheOwnerAndTheWhole() {
    MemoryAccount first = budget.open("a");
    assertThat(first.tryTake(2 * MEBIBYTE + 1)).isFalse();
    assertThat(first.tryTake(2 * MEBIBYTE)).isTrue();
    MemoryAccount second = budget.open("a");
    assertThat(second.tryTake(MEBIBYTE + 1)).isFalse();
    assertThat(second.tryTake(MEBIBYTE)).isTrue();
    assertThat(budget.open("b").tryTake(2 * MEBIBYTE)).isTrue();
    assertThat(budget.open("c").tryTake(2 * MEBIBYTE + 1)).isFalse();
    assertThat(budget.open("d").tryTake(2 * MEBIBYTE)).isTrue();
    assertThat(budget.held()).isEqualTo(7 * MEBIBYTE);
    assertThat(budget.open("e").tryTake(2 * MEBIBYTE)).isFalse();
    assertThat(budget.refused().sum()).isEqualTo(4);
    assertThat(budget.held()).isEqualTo(7 * MEBIBYTE);
  }

  @Test
  void tellsTheMostThatWasHeldSinceItWasAsked() {
    MemoryAccount account = budget.open("a");
    account.take(3 * MEBIBYTE);
    account.giveBack(2 * MEBIBYTE);
    assertThat(budget.mostHeld()).isEqualTo(3 * MEBIBYTE);
    assertThat(budget.takeMostHeld()).isEqualTo(3 * MEBIBYTE);
    assertThat(budget.mostHeld()).isEqualTo(MEBIBYTE);
    assertThat(account.tryTake(MEBIBYTE)).isTrue();
    assertThat(account.tryTake(MEBIBYTE)).isFalse();
    account.giveBack(2 * MEBIBYTE);
    assertThat(budget.mostHeld()).isEqualTo(2 * MEBIBYTE);
  }

  @Test
  void keepsAReserveForThoseWhoHoldLittle() {
    fill();
    MemoryAccount small = budget.open("small");
    assertThat(budget.isTight()).isTrue();
    assertThat(small.hasRoom()).isTrue();
    assertThat(small.tryTake(MemoryBudget.SMALL_BYTES)).isTrue();
    assertThat(small.hasRoom()).isFalse();
    assertThat(small.tryTake(1)).isFalse();
    int others = 0;
    while (budget.open("small").tryTake(MemoryBudget.SMALL_BYTES)) {
      others++;
    }
    assertThat(others).isGreaterThan(10);
    assertThat(budget.held()).isLessThanOrEqualTo(8 * MEBIBYTE);
    assertThat(budget.open("another").hasRoom()).isEqualTo(budget.held() < 8 * MEBIBYTE);
  }

  @Test
  void opensConnectionsWhileAQuarterIsLeftForWhatTheyAsk() {
    MemoryAccount first = budget.open("a");
    OwnedSlots.Room six = budget.roomToOpen(6 * MEBIBYTE);
    OwnedSlots.Room five = budget.roomToOpen(5 * MEBIBYTE);
    assertThat(six.tryTake()).isTrue();
    assertThat(budget.roomToOpen(1).tryTake()).isFalse();
    assertThat(budget.held()).isEqualTo(6 * MEBIBYTE);
    assertThat(budget.isTight()).isFalse();
    // Neither the account nor its owner holds it.
    assertThat(first.held() + first.ownerHeld()).isZero();
    assertThat(first.tryTake(MEBIBYTE)).isTrue();
    six.giveBack();
    assertThat(budget.held()).isEqualTo(MEBIBYTE);
    assertThat(budget.roomToOpen(5 * MEBIBYTE + 1).tryTake()).isFalse();
    assertThat(five.tryTake()).isTrue();
    five.giveBack();
    first.giveBack(MEBIBYTE);
    assertThat(budget.held()).isZero();
  }

  private void fill() {
    for (int i = 0; i < 4; i++) {
      budget.open("large" + i).take(2 * MEBIBYTE - MEBIBYTE / 4 + i);
    }
  }

  @Test
  void asksForReliefWhenMoreThanTheWholeIsThere() {
    AtomicInteger asked = new AtomicInteger();
    budget.relieveBy(asked::incrementAndGet);
    fill();
    assertThat(asked).hasValue(0);
    MemoryAccount account = budget.open("more");
    account.take(2 * MEBIBYTE);
    assertThat(asked).hasValue(1);
    assertThat(account.hasRoom()).isFalse();
    account.giveBack(2 * MEBIBYTE);
    assertThat(account.hasRoom()).isTrue();
  }

  @Test
  void tellsWhenThereIsRoomAgain() {
    AtomicInteger told = new AtomicInteger();
    budget.wakeBy(told::incrementAndGet);
    MemoryAccount account = budget.open("a");
    account.take(3 * MEBIBYTE);
    account.giveBack(1);
    assertThat(told).as("the owner has room again").hasValue(1);
    account.giveBack(MEBIBYTE);
    assertThat(budget.open("a").tryTake(2 * MEBIBYTE)).isFalse();
    assertThat(told).as("the owner had room, and no memory was released").hasValue(1);
    budget.open("b").take(3 * MEBIBYTE);
    budget.open("c").take(2 * MEBIBYTE + 10);
    assertThat(budget.isTight()).isTrue();
    account.giveBack(1);
    assertThat(told).as("memory is still short").hasValue(1);
    account.giveBack(100);
    assertThat(told).as("there is room for all owners").hasValue(2);
    assertThat(budget.isTight()).as("but not for a step of an answer").isTrue();
    account.giveBack(SteppedCharge.STEP_BYTES);
    assertThat(budget.isTight()).isFalse();
  }

  @Test
  void movesWhatAConnectionHoldsToItsNewOwner() {
    MemoryAccount moved = budget.open("a");
    MemoryAccount stays = budget.open("a");
    moved.take(100);
    stays.take(10);
    moved.belongTo("b");
    assertThat(stays.ownerHeld()).isEqualTo(10);
    assertThat(moved.ownerHeld()).isEqualTo(100);
    moved.belongTo("a");
    assertThat(stays.ownerHeld()).isEqualTo(110);
    moved.change(100, 7);
    assertThat(stays.ownerHeld()).isEqualTo(17);
    moved.change(7, 0);
    stays.giveBack(10);
    moved.close();
    stays.close();
    assertThat(budget.held()).isZero();
    assertThat(budget.owners()).isZero();
  }

  @Test
  void looksForItsOwnerOnceForAsLongAsTheConnectionIsOpen() {
    MemoryAccount account = budget.open("a");
    assertThat(budget.owners()).isZero();
    account.take(100);
    account.giveBack(100);
    assertThat(budget.owners()).isOne();
    account.belongTo("b");
    account.take(100);
    account.close();
    assertThat(budget.owners()).isOne();
    account.giveBack(100);
    assertThat(budget.owners()).isZero();
    account.take(100);
    assertThat(account.ownerHeld()).isEqualTo(100);
    account.giveBack(100);
    account.close();
    assertThat(budget.owners()).isZero();
  }

  @Test
  void takesInStepsAndNothingForTheFirst() {
    int step = SteppedCharge.STEP_BYTES;
    MemoryAccount account = budget.open("a");
    SteppedCharge charge = new SteppedCharge(account);
    assertThat(charge.tryHold(step)).isTrue();
    assertThat(budget.owners()).isZero();
    assertThat(charge.tryHold(step + 1)).isTrue();
    assertThat(account.held()).isEqualTo(2L * step);
    assertThat(charge.tryHold(2L * step)).isTrue();
    assertThat(account.held()).isEqualTo(2L * step);
    assertThat(charge.tryHold(2 * MEBIBYTE + 1)).isFalse();
    assertThat(account.held()).isEqualTo(2L * step);
    charge.hold(2 * MEBIBYTE + 1);
    assertThat(account.held()).isEqualTo(2 * MEBIBYTE + step);
    assertThat(charge.tryHold(3)).isTrue();
    assertThat(account.held()).isZero();
    charge.hold(2L * step);
    charge.giveBack();
    charge.giveBack();
    assertThat(charge.taken()).isZero();
    assertThat(account.held()).isZero();
  }

  @Test
  void tellsTheLogOnceInAWhileThatThereIsNoMemory() {
    AtomicLong nowNanos = new AtomicLong();
    MemoryBudget starved = new MemoryBudget(budget.bounds(), nowNanos::get);
    MemoryAccount account = starved.open("a");
    account.take(100);
    List<String> lines = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger(MemoryBudget.class.getName());
    log.addHandler(handler);
    log.setUseParentHandlers(false);
    Locale before = Locale.getDefault();
    // That of the program.
    Locale.setDefault(Locale.ROOT);
    try {
      account.ranOut(new OutOfMemoryError("first"));
      account.ranOut(new OutOfMemoryError("second"));
      assertThat(lines)
          .containsExactly(
              "SEVERE out of memory, with 100 of 8,388,608 bytes held for clients (limits.memory):"
                  + " java.lang.OutOfMemoryError: first");
      nowNanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
      account.ranOut(new OutOfMemoryError("third"));
      account.ranOut(new OutOfMemoryError("fourth"));
    } finally {
      Locale.setDefault(before);
      log.removeHandler(handler);
      log.setUseParentHandlers(true);
    }
    assertThat(lines).hasSize(2).last().asString().endsWith(": third");
    assertThat(starved.refused().sum()).isEqualTo(4);
  }

  @Test
  void comesBackToNothingWhateverManyThreadsDo() throws Exception {
    long seed = Seeds.seed();
    List<MemoryAccount> accounts = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      accounts.add(budget.open(i % 3));
    }
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(seed + i);
      threads.add(Thread.ofPlatform().start(() -> takeAndGiveBack(accounts, random)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    accounts.forEach(MemoryAccount::close);
    assertThat(budget.held()).as("seed %d", seed).isZero();
    assertThat(budget.owners()).as("seed %d", seed).isZero();
    assertThat(accounts).allSatisfy(account -> assertThat(account.held()).isZero());
  }

  private static void takeAndGiveBack(List<MemoryAccount> accounts, Random random) {
    for (int i = 0; i < 20_000; i++) {
      MemoryAccount account = accounts.get(random.nextInt(accounts.size()));
      int bytes = random.nextInt(2_000_000);
      if (account.tryTake(bytes)) {
        account.belongTo(random.nextInt(3));
        account.change(bytes, bytes / 2);
        account.giveBack(bytes / 2);
      }
    }
  }

  /** Memory that is refused is not taken for a moment either. */
  @Test
  void refusesNothingThatFitsBesideWhatDoesNot() throws Exception {
    MemoryBudget narrow =
        new MemoryBudget(
            new MemoryBounds(8 * MEBIBYTE, 16 * MEBIBYTE, 16 * MEBIBYTE), System::nanoTime);
    MemoryBudget shared =
        new MemoryBudget(
            new MemoryBounds(64 * MEBIBYTE, 8 * MEBIBYTE, 8 * MEBIBYTE), System::nanoTime);
    OwnedSlots.Room large = narrow.roomToOpen(6 * MEBIBYTE + 1);
    assertRefusedBeside(() -> narrow.open("large").tryTake(10 * MEBIBYTE), narrow.open("small"));
    assertRefusedBeside(large::tryTake, narrow.open("small"));
    assertRefusedBeside(() -> shared.open("a").tryTake(8 * MEBIBYTE), shared.open("a"));
    assertThat(narrow.held() + shared.held()).isZero();
  }

  private static void assertRefusedBeside(BooleanSupplier large, MemoryAccount small)
      throws InterruptedException {
    small.take(MEBIBYTE);
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicInteger taken = new AtomicInteger();
    Thread asking =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!isOver.get()) {
                    taken.addAndGet(large.getAsBoolean() ? 1 : 0);
                  }
                });
    int refused = 0;
    for (int i = 0; i < 200_000; i++) {
      if (small.tryTake(MEBIBYTE)) {
        small.giveBack(MEBIBYTE);
      } else {
        refused++;
      }
    }
    isOver.set(true);
    asking.join();
    small.giveBack(MEBIBYTE);
    small.close();
    assertThat(taken).hasValue(0);
    assertThat(refused).isZero();
  }

  /** A reservation that finds no room is woken by whatever is given back from then on. */
  @Test
  void losesNoWakingOfAReservation() throws Exception {
    MemoryAccount holding = budget.open("holding");
    MemoryAccount waiting = budget.open("waiting");
    Semaphore woken = new Semaphore(0);
    budget.wakeBy(woken::release);
    AtomicInteger round = new AtomicInteger();
    OwnedSlots.Room rest = budget.roomToOpen(5 * MEBIBYTE);
    assertThat(rest.tryTake()).isTrue();
    int rounds = 20_000;
    Thread giving =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  for (int i = 1; i <= rounds; i++) {
                    while (round.get() != 2 * i - 1) {
                      Thread.onSpinWait();
                    }
                    holding.giveBack(MEBIBYTE);
                    round.set(2 * i);
                  }
                });
    for (int i = 1; i <= rounds; i++) {
      holding.take(MEBIBYTE);
      woken.drainPermits();
      round.set(2 * i - 1);
      while (!waiting.tryReserve(2 * MEBIBYTE)) {
        assertThat(woken.tryAcquire(10, TimeUnit.SECONDS)).as("round %d", i).isTrue();
      }
      waiting.giveBack(2 * MEBIBYTE);
      while (round.get() != 2 * i) {
        Thread.onSpinWait();
      }
    }
    giving.join();
    rest.giveBack();
    assertThat(budget.held()).isZero();
  }

  @Test
  void followsFromTheMemoryThatThereIs() {
    MemoryBounds bounds = MemoryBounds.derived(1024 * MEBIBYTE, 256 * MEBIBYTE);
    assertThat(bounds.wholeBytes()).isEqualTo(128 * MEBIBYTE);
    assertThat(bounds.ownerBytes()).isBetween(44 * MEBIBYTE, 45 * MEBIBYTE);
    assertThat(MemoryBounds.derived(1, 1).wholeBytes()).isEqualTo(MEBIBYTE);
  }
}
